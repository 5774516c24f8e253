import type { Environment } from '../tenancy/index.ts';
import type { BillingAccount, UsageEvent } from './contract.ts';

export interface BillingAccountColumns {
  readonly org_id: string;
  readonly project_id: string;
  readonly key_id: string | null;
  readonly environment: Environment;
}

export type UsageInput = Omit<UsageEvent, keyof BillingAccount | 'count'> & { readonly count?: number };

const billingAccountOf = (whose: BillingAccount | BillingAccountColumns): BillingAccount =>
  'orgId' in whose
    ? {
        orgId: whose.orgId,
        projectId: whose.projectId,
        keyId: whose.keyId,
        environment: whose.environment,
      }
    : {
        orgId: whose.org_id,
        projectId: whose.project_id,
        keyId: whose.key_id,
        environment: whose.environment,
      };

export const usageEventOf = (
  whose: BillingAccount | BillingAccountColumns,
  { count = 0, ...used }: UsageInput,
): UsageEvent => ({
  ...billingAccountOf(whose),
  ...used,
  count,
});
