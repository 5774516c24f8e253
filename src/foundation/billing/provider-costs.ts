import { sql, type Transaction } from 'kysely';
import type { Storage } from '../storage/index.ts';
import type { ProviderCostRow } from '../storage/tables/billing.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { TenantScope } from '../tenancy/index.ts';
import { nextMonth, startOfMonth } from './periods.ts';
import type { BillingAccountColumns } from './usage-event.ts';

export interface ProviderCost {
  readonly kind: ProviderCostRow['kind'];
  readonly provider: string;
  readonly credential: ProviderCostRow['credential'];
  readonly region: string | null;
  readonly host: string;
  readonly requests: number;
  readonly characters: number;
  readonly soundMs: number;
  readonly failures: number;
  readonly costMicros: number;
}

/** Writes in the transaction that records the call; a call that is recorded again counts once. */
export async function insertProviderCosts(
  transaction: Transaction<Tables>,
  account: Omit<BillingAccountColumns, 'key_id'>,
  resource: string,
  occurredAt: number,
  costs: readonly ProviderCost[],
): Promise<void> {
  if (costs.length === 0) return;
  const { org_id, project_id, environment } = account;
  // A call may have used one name with both keys: the row that has a cost is written.
  const ordered = [...costs].sort((a, b) => b.credential.localeCompare(a.credential));
  await transaction
    .insertInto('provider_costs')
    .values(
      ordered.map(({ soundMs, costMicros, ...cost }) => ({
        ...cost,
        sound_ms: Math.round(soundMs),
        cost_micros: costMicros,
        resource,
        org_id,
        project_id,
        environment,
        occurred_at: occurredAt,
      })),
    )
    .onConflict((conflict) => conflict.columns(['resource', 'provider', 'kind']).doNothing())
    .execute();
}

/** A call that was taken for lost and goes on writes all of its costs at its end. */
export async function forgetProviderCosts(
  transaction: Transaction<Tables>,
  { org }: Pick<TenantScope, 'org'>,
  resources: readonly string[],
): Promise<void> {
  if (resources.length === 0) return;
  await transaction
    .deleteFrom('provider_costs')
    .where('org_id', '=', org)
    .where('resource', 'in', resources)
    .execute();
}

export interface ProviderCostTotal {
  readonly provider: string;
  readonly credential: ProviderCostRow['credential'];
  readonly kind: string;
  readonly region: string | null;
  readonly host: string;
  readonly calls: number;
  readonly requests: number;
  readonly characters: number;
  readonly soundMs: number;
  readonly failures: number;
  readonly costMicros: bigint;
}

export async function providerCostsOf({ db }: Storage, month: string): Promise<ProviderCostTotal[]> {
  const sum = (column: 'requests' | 'characters' | 'sound_ms' | 'failures' | 'cost_micros') =>
    sql<string>`sum(${sql.ref(column)})`.as(column);
  const rows = await db
    .selectFrom('provider_costs')
    .select(['provider', 'kind', 'credential', 'region', 'host', sql<string>`count(*)`.as('calls')])
    .select([sum('requests'), sum('characters'), sum('sound_ms'), sum('failures'), sum('cost_micros')])
    .where('occurred_at', '>=', startOfMonth(month))
    .where('occurred_at', '<', startOfMonth(nextMonth(month)))
    .groupBy(['provider', 'kind', 'credential', 'region', 'host'])
    .orderBy('provider')
    .orderBy('host')
    .execute();
  return rows.map((row) => ({
    provider: row.provider,
    kind: row.kind,
    credential: row.credential,
    region: row.region,
    host: row.host,
    calls: Number(row.calls),
    requests: Number(row.requests),
    characters: Number(row.characters),
    soundMs: Number(row.sound_ms),
    failures: Number(row.failures),
    costMicros: BigInt(row.cost_micros),
  }));
}
