import type { RegisterCommand } from './command.ts';

const loadHandlers = () => import('./users-handlers.ts');

export const registerUsers: RegisterCommand = (program, context) => {
  const users = program.command('users').description('Manage the accounts of people who sign in.');
  users
    .command('reset')
    .description('Print a link for a password reset. It works once, within 30 minutes.')
    .argument('<email>', 'the email address of the account')
    .action(async (email: string) => (await loadHandlers()).reset(context, email));
};
