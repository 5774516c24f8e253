import type { RegisterCommand } from './command.ts';

export const registerServe: RegisterCommand = (program, context) => {
  program
    .command('serve')
    .description('Start the server, which serves every API on one port until SIGTERM or SIGINT.')
    .action(async () => {
      const { serve } = await import('./serve-handlers.ts');
      context.exit(await serve(context));
    });
};
