import type { Transaction } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { type Storage, type Tables, withinTenant } from '../../foundation/storage/index.ts';
import type { OmniCallRow } from '../../foundation/storage/tables/omni.ts';

const IDENTITY_COLUMNS = ['id', 'session_label', 'external_id', 'agent_id', 'agent_version'] as const;
export type EndedCallIdentity = Pick<OmniCallRow, (typeof IDENTITY_COLUMNS)[number]>;

export type PostCallResults = Partial<
  Pick<OmniCallRow, 'summary' | 'summary_status' | 'outcome' | 'extraction' | 'extraction_status'>
>;

export async function findEndedCall(
  storage: Storage,
  scope: TenantScope,
  id: string,
): Promise<EndedCallIdentity | null> {
  const row = await withinTenant(storage.db, scope)
    .selectFrom('omni_calls')
    .select(IDENTITY_COLUMNS)
    .where('id', '=', id)
    .where('status', '!=', 'live')
    .executeTakeFirst();
  return row ?? null;
}

export async function savePostCallResults(
  transaction: Transaction<Tables>,
  scope: TenantScope,
  id: string,
  made: PostCallResults,
): Promise<boolean> {
  const { numUpdatedRows } = await withinTenant(transaction, scope)
    .updateTable('omni_calls')
    .set(made)
    .where('id', '=', id)
    .where('status', '!=', 'live')
    .where('transcript_removed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
