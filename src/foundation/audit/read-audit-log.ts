import type { Kysely } from 'kysely';
import type { PageEnd } from '../platform/pages.ts';
import type { Tables } from '../storage/index.ts';
import type { AuditEntryRow } from '../storage/tables/audit.ts';
import type { Environment } from '../tenancy/index.ts';
import type { AuditEntry } from './contract.ts';

/**
 * A key reads the entries of its project and environment; live keys also read the organization's own entries. A view
 * without a scope reads all of the organization's.
 */
export interface AuditView {
  readonly orgId: string;
  readonly scope: { readonly projectId: string; readonly environment: Environment } | null;
  readonly since: number;
}

type AuditValue = AuditEntry['before'];
const said = (text: string | null): AuditValue => (text === null ? null : (JSON.parse(text) as AuditValue));

const entryOf = (row: AuditEntryRow): AuditEntry => ({
  id: row.id,
  sequence: Number(row.sequence),
  at: Number(row.at),
  actor: { kind: row.actor_kind, id: row.actor_id },
  from: row.source,
  action: row.action,
  target: row.target,
  before: said(row.before),
  after: said(row.after),
  requestId: row.request_id,
  hash: row.hash,
});

function select(db: Kysely<Tables>, { orgId, scope: view, since }: AuditView) {
  const query = db
    .selectFrom('audit_entries')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('at', '>=', since);
  if (view === null) return query;
  const { projectId, environment } = view;
  return query.where(({ eb, or, and }) => {
    const own = and([eb('project_id', '=', projectId), eb('environment', '=', environment)]);
    if (environment === 'sandbox') return own;
    const ofAll = or([eb('project_id', 'is', null), eb('project_id', '=', projectId)]);
    return or([own, and([eb('environment', 'is', null), ofAll])]);
  });
}

/** Pages follow the entries' sequence numbers, because the clocks of nodes may differ. */
export const auditPageEnd = (entry: AuditEntry): PageEnd => ({ createdAt: entry.sequence, id: entry.id });

export async function readAuditPage(
  db: Kysely<Tables>,
  view: AuditView,
  start: PageEnd | null,
  count: number,
): Promise<AuditEntry[]> {
  let query = select(db, view);
  if (start !== null) query = query.where('sequence', '<', start.createdAt);
  return (await query.orderBy('sequence', 'desc').limit(count).execute()).map(entryOf);
}

const AT_ONCE = 500;

export async function* readAuditLog(db: Kysely<Tables>, view: AuditView): AsyncGenerator<AuditEntry> {
  for (let after = 0; ; ) {
    const rows = await select(db, view)
      .where('sequence', '>', after)
      .orderBy('sequence')
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) yield entryOf(row);
    if (rows.length < AT_ONCE) return;
    after = Number(rows.at(-1)?.sequence);
  }
}
