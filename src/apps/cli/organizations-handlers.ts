import { COMMAND_LINE_ACTOR } from '../../foundation/audit/index.ts';
import type { CliContext } from './command.ts';
import { withCoreServices } from './core-services.ts';

export const list = (context: CliContext): Promise<void> =>
  withCoreServices(context, async ({ access, storage }) => {
    const rows = await storage.db
      .selectFrom('organizations')
      .select(['id', 'name', 'plan'])
      .where('kind', '=', 'account')
      .orderBy('created_at')
      .execute();
    for (const { id, name, plan } of rows) {
      const entitlements = await access.entitlements.granted(id);
      context.out(`${id} plan=${plan} entitlements=${entitlements.join(',') || 'none'} ${name}`);
    }
  });

export const entitle = (context: CliContext, orgId: string, name: string, granted: boolean): Promise<void> =>
  withCoreServices(context, async ({ access }) => {
    const has = await access.entitlements.set(orgId, name, granted, COMMAND_LINE_ACTOR);
    context.out(`${orgId} entitlements=${has.join(',') || 'none'}`);
  });
