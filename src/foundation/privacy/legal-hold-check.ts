import type { Kysely } from 'kysely';
import type { TenantScope } from '../access/contract.ts';
import { ApiError } from '../platform/errors.ts';
import { type Tables, withinTenant } from '../storage/index.ts';

export async function requireNoLegalHoldOn(
  db: Kysely<Tables>,
  scope: TenantScope,
  record: string,
): Promise<void> {
  const hold = await withinTenant(db, scope)
    .selectFrom('legal_holds')
    .select('record')
    .where('record', '=', record)
    .executeTakeFirst();
  if (hold === undefined) return;
  throw new ApiError('legal_hold', 'The record is under a legal hold: release it first.');
}
