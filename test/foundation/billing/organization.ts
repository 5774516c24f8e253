import type { Meter } from '../../../src/foundation/access/contract.ts';
import type { BilledUse, UsageEvent } from '../../../src/foundation/billing/contract.ts';
import { newId } from '../../../src/foundation/platform/ids.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';

export interface TestOrganization {
  readonly orgId: string;
  readonly projectId: string;
}

export async function makeOrganization(storage: Storage, plan = 'standard'): Promise<TestOrganization> {
  const orgId = newId('org');
  const projectId = newId('proj');
  await storage.transaction(async (transaction) => {
    await transaction
      .insertInto('organizations')
      .values({
        id: orgId,
        name: 'Test',
        kind: 'account',
        plan,
        trace_entitled: 0,
        referral: null,
        created_at: 0,
      })
      .execute();
    await transaction
      .insertInto('projects')
      .values({ id: projectId, org_id: orgId, name: 'Default', created_at: 0 })
      .execute();
  });
  return { orgId, projectId };
}

const USE_OF = {
  hear: 'hear.stream',
  hear_async: 'hear.job',
  speak: 'speak.speech',
  omni: 'omni.call',
  agents_beta: 'agents.call',
  telephony: 'telephony.call',
  amd: 'amd.detection',
  messages: 'messages.answer',
} as const satisfies Record<Meter, BilledUse>;

export const usageEvent = (
  organization: TestOrganization,
  meter: Meter,
  milliseconds: number,
  occurredAt: number,
  more: Partial<UsageEvent> = {},
): UsageEvent => ({
  id: newId('use'),
  use: USE_OF[meter],
  ...organization,
  keyId: 'key_test',
  environment: 'live',
  milliseconds,
  count: 0,
  resource: 'test',
  occurredAt,
  ...more,
});
