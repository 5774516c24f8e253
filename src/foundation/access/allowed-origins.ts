import { type AuditActor, appendAuditRecord, SYSTEM_ACTOR } from '../audit/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Storage } from '../storage/index.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const FRESH_MS = 5_000;
const MOST_REMEMBERED = 10_000;

/** Returns the origin as browsers write it. Returns null unless it is https, or http on this machine. */
export function canonicalOrigin(text: string): string | null {
  if (text.length > 300 || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.has(url.hostname))) return null;
  const bare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  return bare && url.password === '' ? url.origin : null;
}

/** It stands in a token for every origin of the allow-list. No browser sends such an origin. */
export const ANY_ALLOWED_ORIGIN = '*';

export class AllowedOrigins {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #known = new Map<string, { allowed: boolean; at: number }>();
  #own: () => string = () => '';

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  allowOwnPages(at: () => string): void {
    this.#own = at;
  }

  async list(orgId: string): Promise<string[]> {
    const rows = await this.#storage.db
      .selectFrom('allowed_origins')
      .select('origin')
      .where('org_id', '=', orgId)
      .orderBy('origin')
      .execute();
    return rows.map((row) => row.origin);
  }

  async replace(orgId: string, origins: readonly string[], by: AuditActor = SYSTEM_ACTOR): Promise<string[]> {
    const canonical = origins.map((text, index) => {
      const origin = canonicalOrigin(text);
      if (origin !== null) return origin;
      throw new ApiError(
        'invalid_request',
        'An origin must be https:// and a host, with a port if it is not 443, such as https://app.example.com; http:// is allowed for localhost alone.',
        { param: `origins.${index}` },
      );
    });
    const wanted = [...new Set(canonical)].sort();
    await this.#storage.transaction(async (transaction) => {
      const created_at = this.#clock.now();
      const replaced = await transaction
        .deleteFrom('allowed_origins')
        .where('org_id', '=', orgId)
        .returning('origin')
        .execute();
      const rows = wanted.map((origin) => ({ org_id: orgId, origin, created_at }));
      if (rows.length > 0) await transaction.insertInto('allowed_origins').values(rows).execute();
      const before = replaced.map(({ origin }) => origin).sort();
      if (before.join() === wanted.join()) return;
      await appendAuditRecord(transaction, created_at, {
        orgId,
        by,
        action: 'origins.changed',
        target: orgId,
        before: { origins: before },
        after: { origins: wanted },
      });
    });
    this.#known.clear();
    return wanted;
  }

  async allows(orgId: string, origin: string): Promise<boolean> {
    if (origin === canonicalOrigin(this.#own())) return true;
    const found = await this.#storage.db
      .selectFrom('allowed_origins')
      .select('origin')
      .where('org_id', '=', orgId)
      .where('origin', '=', origin)
      .executeTakeFirst();
    return found !== undefined;
  }

  /** Returns whether any organization lists the origin. A CORS preflight carries no credential and so asks no more. */
  async isAllowedAnywhere(origin: string): Promise<boolean> {
    const known = this.#known.get(origin);
    if (known !== undefined && this.#clock.monotonic() - known.at < FRESH_MS) return known.allowed;
    const found = await this.#storage.db
      .selectFrom('allowed_origins')
      .select('origin')
      .where('origin', '=', origin)
      .limit(1)
      .executeTakeFirst();
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
    this.#known.set(origin, { allowed: found !== undefined, at: this.#clock.monotonic() });
    return found !== undefined;
  }
}
