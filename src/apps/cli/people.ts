import type { RegisterCommand } from './command.ts';
import type { InviteOptions } from './people-handlers.ts';

const loadHandlers = () => import('./people-handlers.ts');

export const registerPeople: RegisterCommand = (program, context) => {
  const people = program.command('people').description('Invite people to an organization.');
  people
    .command('invite')
    .description(
      'Print an invitation link, for example for the first person of an organization that was created with a key.',
    )
    .argument('<email>', 'their address')
    .requiredOption('--org <id>', 'the organization')
    .option('--role <role>', 'owner, admin, developer or analyst', 'owner')
    .action(async (email: string, options: InviteOptions) =>
      (await loadHandlers()).invite(context, email, options),
    );
};
