import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { TenantScope } from '../../../foundation/access/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { acrossTenants, type Storage, type Tables, withinTenant } from '../../../foundation/storage/index.ts';

const RETENTION_MS = 24 * 3600 * 1000;

export type StoreResponse = (transaction: Transaction<Tables>, answer: unknown) => Promise<void>;

export interface IdempotentRequest {
  readonly tenantScope: TenantScope;
  readonly route: string;
  readonly key: string;
  readonly bodyHash: string;
}

export class IdempotencyStore {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** Returns the stored response to the first such request, or runs `work`. Work that calls `storeResponse` in the transaction
   * of its effect takes effect once, however many requests race. Throws `idempotency_conflict` for another body under the key. */
  async runOnce<T>(
    request: IdempotentRequest,
    work: (storeResponse: StoreResponse) => Promise<T>,
  ): Promise<T> {
    const stored = await this.#find<T>(request);
    if (stored !== null) return stored.answer;
    try {
      return await work((transaction, answer) => this.#store(transaction, request, answer));
    } catch (error) {
      // A racing request with the same key may have stored its response first.
      const racing = await this.#find<T>(request);
      if (racing === null) throw error;
      return racing.answer;
    }
  }

  async deleteExpired(): Promise<void> {
    const { db } = this.#storage;
    await acrossTenants(db)
      .deleteFrom('idempotent_answers')
      .where('expires_at', '<=', this.#clock.now())
      .execute();
  }

  async #find<T>({ tenantScope, route, key, bodyHash }: IdempotentRequest): Promise<{ answer: T } | null> {
    const row = await withinTenant(this.#storage.db, tenantScope)
      .selectFrom('idempotent_answers')
      .select(['body_hash', 'answer'])
      .where('route', '=', route)
      .where('key', '=', key)
      .where('expires_at', '>', this.#clock.now())
      .executeTakeFirst();
    if (!row) return null;
    if (row.body_hash !== bodyHash) {
      throw new ApiError(
        'idempotency_conflict',
        'The Idempotency-Key was already used with a different body. Use a new key for a new request.',
      );
    }
    return { answer: JSON.parse(row.answer) as T };
  }

  async #store(
    transaction: Transaction<Tables>,
    { tenantScope, route, key, bodyHash }: IdempotentRequest,
    answer: unknown,
  ): Promise<void> {
    const now = this.#clock.now();
    const mine = withinTenant(transaction, tenantScope);
    await mine
      .deleteFrom('idempotent_answers')
      .where('route', '=', route)
      .where('key', '=', key)
      .where('expires_at', '<=', now)
      .execute();
    const row = {
      route,
      key,
      body_hash: bodyHash,
      answer: JSON.stringify(answer),
      expires_at: now + RETENTION_MS,
    };
    await mine.insertInto('idempotent_answers', row).execute();
  }
}

/** Hashes canonical JSON, so that the order of fields and white space do not change the hash. */
export function bodyHash(body: unknown): string {
  return createHash('sha256').update(canonical(body)).digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
