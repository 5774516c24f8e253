import type { RegisterCommand } from './command.ts';

export const registerReplay: RegisterCommand = (program, context) => {
  program
    .command('replay')
    .description(
      'Run what went into a call through the session again, and name what differs from its record.',
    )
    .argument('<call>', 'the id of the call’s session, as in GET /v1/omni/calls')
    .action(async (call: string) => (await import('./replay-handlers.ts')).replay(context, call));
};
