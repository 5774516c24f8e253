import type { RegisterCommand } from './command.ts';

const loadHandlers = () => import('./users-handlers.ts');

export const registerUsers: RegisterCommand = (program, context) => {
  const users = program.command('users').description('Accounts of people who sign in.');
  users
    .command('reset')
    .description('Print a link by which a person resets their password, once, within 30 minutes.')
    .argument('<email>', 'the address of the account')
    .action(async (email: string) => (await loadHandlers()).reset(context, email));
};
