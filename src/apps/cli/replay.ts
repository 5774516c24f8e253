import type { RegisterCommand } from './command.ts';

export const registerReplay: RegisterCommand = (program, context) => {
  program
    .command('replay')
    .description(
      'Run the recorded inputs of a call through the session again, and list the differences from its record.',
    )
    .argument('<call>', 'the session ID of the call, as in GET /v1/omni/calls')
    .action(async (call: string) => (await import('./replay-handlers.ts')).replay(context, call));
};
