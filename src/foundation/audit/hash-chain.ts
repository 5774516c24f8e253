import { createHash } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import { newId } from '../platform/ids.ts';
import type { Tables } from '../storage/index.ts';
import type { AuditEntryRow } from '../storage/tables/audit.ts';
import type { AuditRecord } from './contract.ts';

const said = (value: AuditRecord['before']): string | null => (value === null ? null : JSON.stringify(value));

/** The hash covers every other column. Their order must never change. */
function hashOf(previous: string, row: Omit<AuditEntryRow, 'hash'>): string {
  const text = JSON.stringify([
    previous,
    row.id,
    row.org_id,
    row.sequence,
    row.at,
    row.project_id,
    row.environment,
    row.actor_kind,
    row.actor_id,
    row.source,
    row.action,
    row.target,
    row.before,
    row.after,
    row.request_id,
  ]);
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Appends the entry to its organization's chain in the transaction of the change, so that neither exists without the
 * other.
 */
export async function appendAuditRecord(
  trx: Transaction<Tables>,
  at: number,
  deed: AuditRecord,
): Promise<void> {
  const { orgId, by, place } = deed;
  await trx
    .insertInto('audit_heads')
    .values({ org_id: orgId, sequence: 0, hash: '' })
    .onConflict((conflict) => conflict.column('org_id').doNothing())
    .execute();
  // The update locks the head before the read: of two concurrent appends one waits or retries.
  const head = await trx
    .updateTable('audit_heads')
    .set((eb) => ({ sequence: eb('sequence', '+', 1) }))
    .where('org_id', '=', orgId)
    .returning(['sequence', 'hash'])
    .executeTakeFirstOrThrow();
  const row = {
    id: newId('aud'),
    org_id: orgId,
    sequence: Number(head.sequence),
    at,
    project_id: place?.projectId ?? null,
    environment: place?.environment ?? null,
    actor_kind: by.kind,
    actor_id: by.id,
    source: by.from,
    action: deed.action,
    target: deed.target,
    before: said(deed.before),
    after: said(deed.after),
    request_id: by.requestId,
  };
  const hash = hashOf(head.hash, row);
  await trx
    .insertInto('audit_entries')
    .values({ ...row, hash })
    .execute();
  await trx.updateTable('audit_heads').set({ hash }).where('org_id', '=', orgId).execute();
}

export interface BrokenChain {
  readonly orgId: string;
  readonly sequence: number;
}

const AT_ONCE = 1000;

export async function brokenChains(db: Kysely<Tables>): Promise<BrokenChain[]> {
  const heads = await db.selectFrom('audit_heads').selectAll().orderBy('org_id').execute();
  const broken: BrokenChain[] = [];
  for (const head of heads) {
    const sequence = await firstBrokenEntry(db, head);
    if (sequence !== null) broken.push({ orgId: head.org_id, sequence });
  }
  return [...broken, ...(await entriesWithoutHead(db))];
}

async function firstBrokenEntry(db: Kysely<Tables>, head: Tables['audit_heads']): Promise<number | null> {
  let next = 1;
  let hash = '';
  for (;;) {
    const rows = await db
      .selectFrom('audit_entries')
      .selectAll()
      .where('org_id', '=', head.org_id)
      .where('sequence', '>=', next)
      .orderBy('sequence')
      .limit(AT_ONCE)
      .execute();
    for (const { hash: written, ...row } of rows) {
      hash = hashOf(hash, { ...row, sequence: Number(row.sequence), at: Number(row.at) });
      if (Number(row.sequence) !== next || written !== hash) return next;
      next += 1;
    }
    if (rows.length < AT_ONCE) break;
  }
  return next === Number(head.sequence) + 1 && hash === head.hash ? null : next;
}

async function entriesWithoutHead(db: Kysely<Tables>): Promise<BrokenChain[]> {
  const rows = await db
    .selectFrom('audit_entries as e')
    .leftJoin('audit_heads as h', 'h.org_id', 'e.org_id')
    .select('e.org_id')
    .distinct()
    .where('h.org_id', 'is', null)
    .execute();
  return rows.map((row) => ({ orgId: row.org_id, sequence: 1 }));
}
