import type { Environment } from '../tenancy/index.ts';
import type { BillingAccount, UsageEvent } from './contract.ts';

/** A row that keeps whose use it is. */
export interface BillingAccountColumns {
  readonly org_id: string;
  readonly project_id: string;
  readonly key_id: string | null;
  readonly environment: Environment;
}

/** The usage of an event, without the account that it belongs to. */
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

/** The event of a use, by a caller or by the row that was kept of them. */
export const usageEventOf = (
  whose: BillingAccount | BillingAccountColumns,
  { count = 0, ...used }: UsageInput,
): UsageEvent => ({
  ...billingAccountOf(whose),
  ...used,
  count,
});
