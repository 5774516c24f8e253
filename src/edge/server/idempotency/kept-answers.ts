import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Reach } from '../../../foundation/access/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { acrossBorders, type Storage, type Tables, within } from '../../../foundation/storage/index.ts';

const KEPT_MS = 24 * 3600 * 1000;

/** Keeps an answer, in the transaction that makes it true. */
export type KeepAnswer = (transaction: Transaction<Tables>, answer: unknown) => Promise<void>;

/** A request that may be sent again: whose it is, what it asks for, and the key by which it is known. */
export interface Repeatable {
  readonly reach: Reach;
  readonly route: string;
  readonly key: string;
  readonly bodyHash: string;
}

/** Answers that are given again, for a day, to whoever sends the same request again. */
export class KeptAnswers {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** The answer that the first such request got, or that of `work`. Work that calls its `keep` in the transaction of its effect is done
   * once, however many ask at the same moment. Throws ApiError `idempotency_conflict` for another body under the same key. */
  async once<T>(asked: Repeatable, work: (keep: KeepAnswer) => Promise<T>): Promise<T> {
    const kept = await this.#find<T>(asked);
    if (kept !== null) return kept.answer;
    try {
      return await work((transaction, answer) => this.#keep(transaction, asked, answer));
    } catch (error) {
      // Two requests with one key at the same moment: the second finds what the first has stored.
      const raced = await this.#find<T>(asked);
      if (raced === null) throw error;
      return raced.answer;
    }
  }

  /** Removes what is over. */
  async forget(): Promise<void> {
    const { db } = this.#storage;
    await acrossBorders(db)
      .deleteFrom('idempotent_answers')
      .where('expires_at', '<=', this.#clock.now())
      .execute();
  }

  async #find<T>({ reach, route, key, bodyHash }: Repeatable): Promise<{ answer: T } | null> {
    const row = await within(this.#storage.db, reach)
      .selectFrom('idempotent_answers')
      .select(['body_hash', 'answer'])
      .where('route', '=', route)
      .where('key', '=', key)
      .where('expires_at', '>', this.#clock.now())
      .executeTakeFirst();
    if (!row) return null;
    if (row.body_hash !== bodyHash) {
      throw new ApiError('idempotency_conflict', 'The Idempotency-Key was used with a different body.');
    }
    return { answer: JSON.parse(row.answer) as T };
  }

  async #keep(
    transaction: Transaction<Tables>,
    { reach, route, key, bodyHash }: Repeatable,
    answer: unknown,
  ): Promise<void> {
    const now = this.#clock.now();
    const mine = within(transaction, reach);
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
      expires_at: now + KEPT_MS,
    };
    await mine.insertInto('idempotent_answers', row).execute();
  }
}

/** The same for every spelling of the same JSON: order of fields and white space do not count. */
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
