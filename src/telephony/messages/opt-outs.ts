import type { Kysely } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import { type Tables, withinTenant } from '../../foundation/storage/index.ts';

export interface Pair {
  readonly ours: string;
  readonly theirs: string;
}

/** Returns false when the person had opted out before. */
export async function optOut(
  trx: Trx,
  scope: TenantScope,
  { ours, theirs }: Pair,
  now: number,
): Promise<boolean> {
  const written = await withinTenant(trx, scope)
    .insertInto('message_opt_outs', { our_number: ours, their_number: theirs, created_at: now })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'project_id', 'environment', 'our_number', 'their_number']).doNothing(),
    )
    .returning('created_at')
    .executeTakeFirst();
  return written !== undefined;
}

/** Returns false when the person had not opted out. */
export async function optIn(trx: Trx, scope: TenantScope, { ours, theirs }: Pair): Promise<boolean> {
  const gone = await withinTenant(trx, scope)
    .deleteFrom('message_opt_outs')
    .where('our_number', '=', ours)
    .where('their_number', '=', theirs)
    .returning('created_at')
    .executeTakeFirst();
  return gone !== undefined;
}

/** Returns null for a person who has not opted out. */
export async function optedOutAt(
  db: Kysely<Tables>,
  scope: TenantScope,
  { ours, theirs }: Pair,
): Promise<number | null> {
  const row = await withinTenant(db, scope)
    .selectFrom('message_opt_outs')
    .select('created_at')
    .where('our_number', '=', ours)
    .where('their_number', '=', theirs)
    .executeTakeFirst();
  return row === undefined ? null : Number(row.created_at);
}

export const hasOptedOut = async (db: Kysely<Tables>, scope: TenantScope, pair: Pair): Promise<boolean> =>
  (await optedOutAt(db, scope, pair)) !== null;
