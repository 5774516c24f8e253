import type { RegisterCommand } from './command.ts';
import type { InviteOptions } from './people-work.ts';

const work = () => import('./people-work.ts');

export const registerPeople: RegisterCommand = (program, context) => {
  const people = program.command('people').description('People of organizations, who sign in.');
  people
    .command('invite')
    .description('Print a link by which a person joins: the first of an organization that has keys alone.')
    .argument('<email>', 'their address')
    .requiredOption('--org <id>', 'the organization')
    .option('--role <role>', 'owner, admin, developer or analyst', 'owner')
    .action(async (email: string, options: InviteOptions) => (await work()).invite(context, email, options));
};
