import { createHmac } from 'node:crypto';
import type { AuditActor } from '../../foundation/audit/index.ts';
import { appendAuditRecord } from '../../foundation/audit/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import { lawOf, type MarkingLaw } from './laws.ts';

export interface MarkSettings {
  readonly country: string | null;
  /** Null follows the law of the organization's country. */
  readonly marks: boolean | null;
}

export interface WatermarkPolicy extends MarkSettings {
  readonly marked: boolean;
  /** With `unknown_country`, some law may require it. */
  readonly because: 'organization' | 'law' | 'no_law' | 'unknown_country';
  readonly law: MarkingLaw | null;
}

const DIGITS = 16;
/** Another node may apply a change this much later. */
const CACHE_TTL_MS = 10_000;

export function policyOf({ country, marks }: MarkSettings): WatermarkPolicy {
  const law = country === null ? null : lawOf(country);
  if (marks !== null) return { country, marks, marked: marks, because: 'organization', law };
  if (country === null) return { country, marks, marked: true, because: 'unknown_country', law };
  return { country, marks, marked: law !== null, because: law === null ? 'no_law' : 'law', law };
}

export class Marks {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #secret: Buffer;
  readonly #cache = new Map<string, { readonly until: number; readonly marked: boolean }>();

  /** The owner of the deployment's `secret` can find and remove watermarks. */
  constructor(storage: Storage, clock: Clock, secret: Buffer) {
    this.#storage = storage;
    this.#clock = clock;
    this.#secret = secret;
  }

  /** The code that watermarks an organization's audio; it exists whether or not watermarks are on. */
  codeOf(orgId: string): string {
    const digits = (of: string) =>
      createHmac('sha256', this.#secret).update(of).digest('hex').slice(0, DIGITS);
    return digits('deployment') + digits(`organization ${orgId}`);
  }

  /** Returns null where the organization's audio is not watermarked now. */
  async codeFor(orgId: string): Promise<string | null> {
    const now = this.#clock.now();
    let cached = this.#cache.get(orgId);
    if (!cached || cached.until <= now) {
      cached = { until: now + CACHE_TTL_MS, marked: (await this.policy(orgId)).marked };
      if (this.#cache.size >= 10_000) this.#cache.clear();
      this.#cache.set(orgId, cached);
    }
    return cached.marked ? this.codeOf(orgId) : null;
  }

  async policy(orgId: string): Promise<WatermarkPolicy> {
    return policyOf(settingsOf(await this.#row(this.#storage.db, orgId)));
  }

  async change(orgId: string, change: Partial<MarkSettings>, by: AuditActor): Promise<WatermarkPolicy> {
    const policy = await this.#storage.transaction(async (transaction) => {
      const before = settingsOf(await this.#row(transaction, orgId));
      const after = { ...before, ...change };
      const now = this.#clock.now();
      const set = {
        country: after.country,
        marks: after.marks === null ? null : Number(after.marks),
        updated_at: now,
      };
      await transaction
        .insertInto('provenance_settings')
        .values({ org_id: orgId, ...set })
        .onConflict((conflict) => conflict.column('org_id').doUpdateSet(set))
        .execute();
      await appendAuditRecord(transaction, now, {
        orgId,
        by,
        action: 'provenance.changed',
        target: orgId,
        before: { ...before },
        after: { ...after },
      });
      return policyOf(after);
    });
    this.#cache.delete(orgId);
    return policy;
  }

  #row(db: Pick<Storage['db'], 'selectFrom'>, orgId: string) {
    return db.selectFrom('provenance_settings').selectAll().where('org_id', '=', orgId).executeTakeFirst();
  }
}

const settingsOf = (row: { country: string | null; marks: number | null } | undefined): MarkSettings => ({
  country: row?.country ?? null,
  marks: row?.marks == null ? null : row.marks === 1,
});
