import { ENTITLEMENTS } from '../../foundation/access/contract.ts';
import type { RegisterCommand } from './command.ts';

const loadHandlers = () => import('./organizations-handlers.ts');

export const registerOrganizations: RegisterCommand = (program, context) => {
  const organizations = program
    .command('organizations')
    .description('Organizations, and what they are entitled to.');
  organizations
    .command('list')
    .description('Every organization that people sign in to: its id, name, plan and entitlements.')
    .action(async () => (await loadHandlers()).list(context));
  organizations
    .command('entitle')
    .description('Grant an organization’s live keys what costs the operator money.')
    .argument('<org_id>', 'the organization')
    .argument('<name>', ENTITLEMENTS.join(', '))
    .action(async (orgId: string, name: string) =>
      (await loadHandlers()).entitle(context, orgId, name, true),
    );
  organizations
    .command('disentitle')
    .description('Take a grant back. What runs already goes on until it ends.')
    .argument('<org_id>', 'the organization')
    .argument('<name>', ENTITLEMENTS.join(', '))
    .action(async (orgId: string, name: string) =>
      (await loadHandlers()).entitle(context, orgId, name, false),
    );
};
