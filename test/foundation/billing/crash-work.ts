import type { BillingService } from '../../../src/foundation/billing/index.ts';
import type { Storage } from '../../../src/foundation/storage/index.ts';
import { type TestOrganization, usageEvent } from './organization.ts';

export const NOVEMBER = Date.UTC(2026, 10, 20);
export const DECEMBER = Date.UTC(2026, 11, 20);
export const RESULTS = [1_501, 2_750, 61_003, 999];
export const LATE_RESULT = 4_321;

export interface CrashPoint {
  readonly at: number;
  /** `after` dies once the transaction is committed, before any caller has learnt of the commit. */
  readonly phase: 'before' | 'after';
}

/** A claim that finds no job changes nothing. */
const changesNothing = (result: unknown): boolean => Array.isArray(result) && result.length === 0;

/** Ends the `at`-th transaction that may have changed something in `die`. */
export function crashing(storage: Storage, crash: CrashPoint, die: () => Promise<never> | never): Storage {
  let count = 0;
  const transaction: Storage['transaction'] = async (task, options) => {
    let dies = false;
    let at: number | null = null;
    const result = await storage.transaction(async (inner) => {
      const value = await task(inner);
      if (!changesNothing(value)) {
        at ??= count++;
        dies = at === crash.at;
      }
      if (dies && crash.phase === 'before') await die();
      return value;
    }, options);
    if (dies && crash.phase === 'after') await die();
    return result;
  };
  return new Proxy(storage, {
    get(target, name) {
      if (name === 'transaction') return transaction;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * A node repeats this work after a crash: it stores results with their usage, adds up, issues invoices. It skips a
 * result that exists already, as with a job that another worker took over.
 */
export async function work(
  storage: Storage,
  billingAt: (when: number) => BillingService,
  organization: TestOrganization,
): Promise<void> {
  const november = billingAt(NOVEMBER);
  for (const [index, milliseconds] of RESULTS.entries()) {
    await storeResult(storage, november, organization, `result${index}`, milliseconds);
    if (index === 1) await november.usage({ ...range(organization), groupBy: [] });
  }
  const december = billingAt(DECEMBER);
  await december.invoices(organization.orgId);
  await storeResult(storage, december, organization, 'late', LATE_RESULT);
  await december.invoices(organization.orgId);
}

const range = ({ orgId }: TestOrganization) => ({ orgId, from: '2026-11-01', to: '2026-12-31' });

async function storeResult(
  storage: Storage,
  billing: BillingService,
  organization: TestOrganization,
  name: string,
  milliseconds: number,
): Promise<void> {
  const id = `${organization.orgId} ${name}`;
  await storage.transaction(async (transaction) => {
    // A project row takes the place of the result that is stored with its usage.
    await transaction
      .insertInto('projects')
      .values({ id, org_id: organization.orgId, name: 'result', created_at: 0 })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    await billing.recordUsage(
      transaction,
      usageEvent(organization, 'hear', milliseconds, NOVEMBER, { id, resource: id }),
    );
  });
}
