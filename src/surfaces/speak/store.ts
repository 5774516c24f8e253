/** What Speak keeps: default voices, voices of an organization's own, designs that wait to be saved, what was spoken. */
import type { Transaction } from 'kysely';
import type { Principal } from '../../access/contract.ts';
import type { Billing } from '../../billing/contract.ts';
import type { EngineVoice } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage, Tables } from '../../storage/index.ts';
import type { SpeakVoiceRow } from '../../storage/tables/speak.ts';

export interface OwnVoice {
  readonly id: string;
  readonly name: string;
  readonly source: 'clone' | 'design';
  readonly engine: EngineVoice;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
}

export interface Candidate {
  readonly id: string;
  readonly engine: EngineVoice;
}

export interface Design {
  readonly id: string;
  readonly description: string;
  readonly text: string;
  readonly candidates: readonly Candidate[];
  readonly expiresAt: number;
}

export interface Spoken {
  readonly id: string;
  readonly voiceId: string;
  readonly characters: number;
  readonly milliseconds: number;
  readonly complete: boolean;
}

const readVoice = (row: SpeakVoiceRow): OwnVoice => ({
  id: row.id,
  name: row.name,
  source: row.source,
  engine: JSON.parse(row.engine) as EngineVoice,
  meta: JSON.parse(row.meta) as Record<string, unknown>,
  createdAt: Number(row.created_at),
});

export class SpeakStore {
  readonly #storage: Storage;
  readonly #billing: Pick<Billing, 'record'>;
  readonly #clock: Clock;

  constructor(storage: Storage, billing: Pick<Billing, 'record'>, clock: Clock) {
    this.#storage = storage;
    this.#billing = billing;
    this.#clock = clock;
  }

  async defaultVoice(orgId: string): Promise<string | undefined> {
    const row = await this.#storage.db
      .selectFrom('speak_settings')
      .select('default_voice')
      .where('org_id', '=', orgId)
      .executeTakeFirst();
    return row?.default_voice;
  }

  async setDefaultVoice(orgId: string, voice: string): Promise<void> {
    const now = this.#clock.now();
    await this.#storage.db
      .insertInto('speak_settings')
      .values({ org_id: orgId, default_voice: voice, updated_at: now })
      .onConflict((conflict) =>
        conflict.column('org_id').doUpdateSet({ default_voice: voice, updated_at: now }),
      )
      .execute();
  }

  async voice(orgId: string, id: string): Promise<OwnVoice | null> {
    const row = await this.#storage.db
      .selectFrom('speak_voices')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? readVoice(row) : null;
  }

  async clones(orgId: string): Promise<OwnVoice[]> {
    const rows = await this.#storage.db
      .selectFrom('speak_voices')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('source', '=', 'clone')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return rows.map(readVoice);
  }

  async addVoice(orgId: string, voice: Omit<OwnVoice, 'createdAt'>): Promise<OwnVoice> {
    const createdAt = this.#clock.now();
    const { id, name, source } = voice;
    await this.#storage.db
      .insertInto('speak_voices')
      .values({
        id,
        org_id: orgId,
        name,
        source,
        engine: JSON.stringify(voice.engine),
        meta: JSON.stringify(voice.meta),
        created_at: createdAt,
      })
      .execute();
    return { ...voice, createdAt };
  }

  /** False: the organization has no clone of that id. */
  async deleteClone(orgId: string, id: string): Promise<boolean> {
    const result = await this.#storage.db
      .deleteFrom('speak_voices')
      .where('org_id', '=', orgId)
      .where('source', '=', 'clone')
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numDeletedRows > 0n;
  }

  async addDesign(orgId: string, design: Design): Promise<void> {
    const now = this.#clock.now();
    await this.#storage.db.deleteFrom('speak_designs').where('expires_at', '<', now).execute();
    await this.#storage.db.deleteFrom('speak_previews').where('expires_at', '<', now).execute();
    await this.#storage.db
      .insertInto('speak_designs')
      .values({
        id: design.id,
        org_id: orgId,
        description: design.description,
        text: design.text,
        candidates: JSON.stringify(design.candidates),
        created_at: now,
        expires_at: design.expiresAt,
      })
      .execute();
  }

  /** Null: unknown, another organization's, or over. */
  async design(orgId: string, id: string): Promise<Design | null> {
    const row = await this.#storage.db
      .selectFrom('speak_designs')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .where('expires_at', '>', this.#clock.now())
      .executeTakeFirst();
    if (!row) return null;
    return {
      id: row.id,
      description: row.description,
      text: row.text,
      candidates: JSON.parse(row.candidates) as Candidate[],
      expiresAt: Number(row.expires_at),
    };
  }

  /** The bytes of a candidate that was heard before. */
  async preview(orgId: string, candidateId: string): Promise<Buffer | null> {
    const row = await this.#storage.db
      .selectFrom('speak_previews')
      .select('audio')
      .where('org_id', '=', orgId)
      .where('candidate_id', '=', candidateId)
      .executeTakeFirst();
    return row ? Buffer.from(row.audio, 'base64') : null;
  }

  /** Keeps a candidate's sound until its design ends, and bills it: once, however many asked for it at the same time. */
  async keepPreview(principal: Principal, spoken: Spoken, audio: Buffer, expiresAt: number): Promise<void> {
    await this.#storage.transaction(async (transaction) => {
      await transaction
        .insertInto('speak_previews')
        .values({
          candidate_id: spoken.voiceId,
          org_id: principal.orgId,
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

  async #recordIn(transaction: Transaction<Tables>, principal: Principal, spoken: Spoken): Promise<void> {
    const now = this.#clock.now();
    await transaction
      .insertInto('speak_requests')
      .values({
        id: spoken.id,
        org_id: principal.orgId,
        voice_id: spoken.voiceId,
        characters: spoken.characters,
        milliseconds: spoken.milliseconds,
        complete: spoken.complete ? 1 : 0,
        created_at: now,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    await this.#billing.record(transaction, {
      id: `use_${spoken.id}`,
      meter: 'speak',
      orgId: principal.orgId,
      projectId: principal.projectId,
      keyId: principal.keyId,
      environment: principal.environment,
      milliseconds: spoken.milliseconds,
      count: 0,
      resource: spoken.id,
      occurredAt: now,
    });
  }
}
