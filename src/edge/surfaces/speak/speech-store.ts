import type { Transaction } from 'kysely';
import type { Principal } from '../../../foundation/access/contract.ts';
import { type TenantScope, tenantScopeOf } from '../../../foundation/access/index.ts';
import type { Billing, UsageEvent } from '../../../foundation/billing/contract.ts';
import { usageEventOf } from '../../../foundation/billing/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Storage, Tables } from '../../../foundation/storage/index.ts';
import { withinTenant } from '../../../foundation/storage/index.ts';

export interface SpeechRecord {
  readonly use: 'speak.speech' | 'speak.preview';
  readonly hold: string | null;
  readonly id: string;
  readonly voiceId: string;
  readonly characters: number;
  readonly milliseconds: number;
  readonly complete: boolean;
}

export class SpeechStore {
  readonly #storage: Storage;
  readonly #billing: Pick<Billing, 'recordUsage' | 'recordServedUsage'>;
  readonly #clock: Clock;

  constructor(storage: Storage, billing: Pick<Billing, 'recordUsage' | 'recordServedUsage'>, clock: Clock) {
    this.#storage = storage;
    this.#billing = billing;
    this.#clock = clock;
  }

  async preview(scope: TenantScope, candidateId: string): Promise<Buffer | null> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('speak_previews')
      .select('audio')
      .where('candidate_id', '=', candidateId)
      .executeTakeFirst();
    return row ? Buffer.from(row.audio, 'base64') : null;
  }

  /** Stores a candidate's audio until its design ends. Concurrent requests bill it once. */
  async storePreview(
    principal: Principal,
    spoken: SpeechRecord,
    audio: Buffer,
    expiresAt: number,
  ): Promise<void> {
    await this.#storage.transaction(async (transaction) => {
      await withinTenant(transaction, tenantScopeOf(principal))
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

  /** Writes the record and its usage record in one transaction. Recording the same request twice bills once. */
  async record(principal: Principal, spoken: SpeechRecord): Promise<void> {
    await this.#storage.transaction((transaction) => this.#recordIn(transaction, principal, spoken));
  }

  /** Records speech that was already sent: a failed write is retried until it succeeds. */
  async recordSent(principal: Principal, spoken: SpeechRecord): Promise<void> {
    const now = this.#clock.now();
    await this.#billing.recordServedUsage(eventOf(principal, spoken, now), (transaction) =>
      this.#note(transaction, principal, spoken, now),
    );
  }

  async #recordIn(
    transaction: Transaction<Tables>,
    principal: Principal,
    spoken: SpeechRecord,
  ): Promise<void> {
    const now = this.#clock.now();
    await this.#note(transaction, principal, spoken, now);
    await this.#billing.recordUsage(transaction, eventOf(principal, spoken, now));
  }

  async #note(
    transaction: Transaction<Tables>,
    principal: Principal,
    spoken: SpeechRecord,
    now: number,
  ): Promise<void> {
    await withinTenant(transaction, tenantScopeOf(principal))
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

const eventOf = (principal: Principal, spoken: SpeechRecord, now: number): UsageEvent =>
  usageEventOf(principal, {
    id: `use_${spoken.id}`,
    use: spoken.use,
    reservationId: spoken.hold,
    milliseconds: spoken.milliseconds,
    resource: spoken.id,
    occurredAt: now,
  });
