import { ENTITLEMENTS } from '../../foundation/access/contract.ts';
import type { RegisterCommand } from './command.ts';

const loadHandlers = () => import('./organizations-handlers.ts');

export const registerOrganizations: RegisterCommand = (program, context) => {
  const organizations = program.command('organizations').description('Manage organization entitlements.');
  organizations
    .command('list')
    .description('List the organizations that people sign in to, with ID, name, plan and entitlements.')
    .action(async () => (await loadHandlers()).list(context));
  organizations
    .command('entitle')
    .description('Grant an entitlement to an organization’s live keys.')
    .argument('<org_id>', 'the organization')
    .argument('<name>', ENTITLEMENTS.join(', '))
    .action(async (orgId: string, name: string) =>
      (await loadHandlers()).entitle(context, orgId, name, true),
    );
  organizations
    .command('disentitle')
    .description('Revoke an entitlement. Work in progress continues until it ends.')
    .argument('<org_id>', 'the organization')
    .argument('<name>', ENTITLEMENTS.join(', '))
    .action(async (orgId: string, name: string) =>
      (await loadHandlers()).entitle(context, orgId, name, false),
    );
};
