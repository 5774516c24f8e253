import type { Environment } from '../tenancy/index.ts';
import type { Account, UsageEvent } from './contract.ts';

/** A row that keeps whose use it is. */
export interface AccountColumns {
  readonly org_id: string;
  readonly project_id: string;
  readonly key_id: string | null;
  readonly environment: Environment;
}

/** What was used: all of an event but whose it is. */
export type Used = Omit<UsageEvent, keyof Account | 'count'> & { readonly count?: number };

const accountOf = (whose: Account | AccountColumns): Account =>
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
export const usageOf = (whose: Account | AccountColumns, { count = 0, ...used }: Used): UsageEvent => ({
  ...accountOf(whose),
  ...used,
  count,
});
