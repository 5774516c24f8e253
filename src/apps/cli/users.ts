import type { RegisterCommand } from './command.ts';

const loadHandlers = () => import('./users-handlers.ts');

export const registerUsers: RegisterCommand = (program, context) => {
  const users = program.command('users').description('Accounts of people who sign in.');
  users
    .command('reset')
    .description('Print a link by which a person sets their password anew, for 30 minutes and once.')
    .argument('<email>', 'the address of the account')
    .action(async (email: string) => (await loadHandlers()).reset(context, email));
};
