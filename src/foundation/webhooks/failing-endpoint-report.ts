import type { Kysely } from 'kysely';
import { acrossTenants, type Tables } from '../storage/index.ts';

const MOST = 100;

export interface FailingEndpoint {
  readonly orgId: string;
  /** The path is left out, because it may hold a secret. */
  readonly host: string;
  readonly retrying: number;
  readonly dead: number;
  readonly lastAttemptAt: number;
  readonly lastError: string | null;
  readonly lastStatus: number | null;
}

/** Addresses with deliveries that failed since then and have not been delivered, of every organization, worst first. */
export async function failingEndpoints(db: Kysely<Tables>, since: number): Promise<FailingEndpoint[]> {
  const rows = await acrossTenants(db)
    .selectFrom('webhook_deliveries')
    .select(['org_id', 'url', 'status', 'last_attempt_at', 'error', 'response_status'])
    .where('status', 'in', ['pending', 'dead'])
    .where('attempts', '>', 0)
    .where('last_attempt_at', '>=', since)
    .orderBy('last_attempt_at', 'desc')
    .limit(10_000)
    .execute();
  const found = new Map<string, FailingEndpoint>();
  for (const row of rows) {
    const host = hostOf(row.url);
    const key = `${row.org_id} ${host}`;
    const known = found.get(key) ?? {
      orgId: row.org_id,
      host,
      retrying: 0,
      dead: 0,
      lastAttemptAt: row.last_attempt_at as number,
      lastError: row.error,
      lastStatus: row.response_status,
    };
    const isDead = row.status === 'dead';
    found.set(key, {
      ...known,
      retrying: known.retrying + (isDead ? 0 : 1),
      dead: known.dead + (isDead ? 1 : 0),
    });
  }
  const failed = ({ retrying, dead }: FailingEndpoint) => retrying + dead;
  return [...found.values()].sort((a, b) => failed(b) - failed(a)).slice(0, MOST);
}

/** A destination of another kind stores its host alone. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
