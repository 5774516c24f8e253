/** What was spoken: one record a request, its bill, and the sound of candidates. */

import type { Transaction } from 'kysely';
import type { Principal } from '../../../foundation/access/contract.ts';
import { type Reach, reachOf } from '../../../foundation/access/index.ts';
import type { Billing, UsageEvent } from '../../../foundation/billing/contract.ts';
import { usageOf } from '../../../foundation/billing/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Storage, Tables } from '../../../foundation/storage/index.ts';
import { within } from '../../../foundation/storage/index.ts';

export interface Spoken {
  readonly use: 'speak.speech' | 'speak.preview';
  /** What it was reserved under. */
  readonly hold: string | null;
  readonly id: string;
  readonly voiceId: string;
  readonly characters: number;
  readonly milliseconds: number;
  readonly complete: boolean;
}

export class SpokenStore {
  readonly #storage: Storage;
  readonly #billing: Pick<Billing, 'record' | 'recordServed'>;
  readonly #clock: Clock;

  constructor(storage: Storage, billing: Pick<Billing, 'record' | 'recordServed'>, clock: Clock) {
    this.#storage = storage;
    this.#billing = billing;
    this.#clock = clock;
  }

  /** The bytes of a candidate that was heard before. */
  async preview(reach: Reach, candidateId: string): Promise<Buffer | null> {
    const row = await within(this.#storage.db, reach)
      .selectFrom('speak_previews')
      .select('audio')
      .where('candidate_id', '=', candidateId)
      .executeTakeFirst();
    return row ? Buffer.from(row.audio, 'base64') : null;
  }

  /** Keeps a candidate's sound until its design ends, and bills it: once, however many asked for it at the same time. */
  async keepPreview(principal: Principal, spoken: Spoken, audio: Buffer, expiresAt: number): Promise<void> {
    await this.#storage.transaction(async (transaction) => {
      await within(transaction, reachOf(principal))
        .insertInto('speak_previews', {
          candidate_id: spoken.voiceId,
          audio: audio.toString('base64'),
          expires_at: expiresAt,
        })
        .onConflict((conflict) => conflict.column('candidate_id').doNothing())
        .execute();
      await this.#recordIn(transaction, principal, spoken);
    });
  }

  /** The record of what was sent, and its bill, together. Recording the same request twice bills once. */
  async record(principal: Principal, spoken: Spoken): Promise<void> {
    await this.#storage.transaction((transaction) => this.#recordIn(transaction, principal, spoken));
  }

  /** The same for what has left already: it is written as soon as it can be. */
  async recordSent(principal: Principal, spoken: Spoken): Promise<void> {
    const now = this.#clock.now();
    await this.#billing.recordServed(eventOf(principal, spoken, now), (transaction) =>
      this.#note(transaction, principal, spoken, now),
    );
  }

  async #recordIn(transaction: Transaction<Tables>, principal: Principal, spoken: Spoken): Promise<void> {
    const now = this.#clock.now();
    await this.#note(transaction, principal, spoken, now);
    await this.#billing.record(transaction, eventOf(principal, spoken, now));
  }

  async #note(
    transaction: Transaction<Tables>,
    principal: Principal,
    spoken: Spoken,
    now: number,
  ): Promise<void> {
    await within(transaction, reachOf(principal))
      .insertInto('speak_requests', {
        id: spoken.id,
        voice_id: spoken.voiceId,
        characters: spoken.characters,
        milliseconds: spoken.milliseconds,
        complete: spoken.complete ? 1 : 0,
        created_at: now,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }
}

const eventOf = (principal: Principal, spoken: Spoken, now: number): UsageEvent =>
  usageOf(principal, {
    id: `use_${spoken.id}`,
    use: spoken.use,
    hold: spoken.hold,
    milliseconds: spoken.milliseconds,
    resource: spoken.id,
    occurredAt: now,
  });
