import type { Transaction } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { Storage, Tables } from '../../foundation/storage/index.ts';
import { acrossTenants, withinTenant } from '../../foundation/storage/index.ts';
import type { SpeakVoiceRow } from '../../foundation/storage/tables/speak.ts';
import type { EngineVoice } from '../../media/engine/index.ts';
import type { ProjectPronunciation } from './pronunciations.ts';
import { evictSpeechCache } from './speech-cache.ts';

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

const readVoice = (row: SpeakVoiceRow): OwnVoice => ({
  id: row.id,
  name: row.name,
  source: row.source,
  engine: JSON.parse(row.engine) as EngineVoice,
  meta: JSON.parse(row.meta) as Record<string, unknown>,
  createdAt: Number(row.created_at),
});

export class VoiceStore {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async defaultVoice(scope: TenantScope): Promise<string | undefined> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('speak_settings')
      .select('default_voice')
      .executeTakeFirst();
    return row?.default_voice;
  }

  async setDefaultVoice(scope: TenantScope, voice: string): Promise<void> {
    const now = this.#clock.now();
    await withinTenant(this.#storage.db, scope)
      .insertInto('speak_settings', { default_voice: voice, updated_at: now })
      .onConflict((conflict) =>
        conflict
          .columns(['org_id', 'project_id', 'environment'])
          .doUpdateSet({ default_voice: voice, updated_at: now }),
      )
      .execute();
  }

  async pronunciations(scope: TenantScope): Promise<readonly ProjectPronunciation[]> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('speak_pronunciations')
      .select('entries')
      .executeTakeFirst();
    return row === undefined ? [] : (JSON.parse(row.entries) as ProjectPronunciation[]);
  }

  async setPronunciations(scope: TenantScope, given: readonly ProjectPronunciation[]): Promise<void> {
    const values = { entries: JSON.stringify(given), updated_at: this.#clock.now() };
    await withinTenant(this.#storage.db, scope)
      .insertInto('speak_pronunciations', values)
      .onConflict((conflict) => conflict.columns(['org_id', 'project_id', 'environment']).doUpdateSet(values))
      .execute();
  }

  async voice(scope: TenantScope, id: string): Promise<OwnVoice | null> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('speak_voices')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? readVoice(row) : null;
  }

  clones(scope: TenantScope): Promise<OwnVoice[]> {
    return this.#list(scope, 'clone');
  }

  designed(scope: TenantScope): Promise<OwnVoice[]> {
    return this.#list(scope, 'design');
  }

  async #list(scope: TenantScope, source: OwnVoice['source']): Promise<OwnVoice[]> {
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('speak_voices')
      .selectAll()
      .where('source', '=', source)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return rows.map(readVoice);
  }

  async addVoice(
    scope: TenantScope,
    voice: Omit<OwnVoice, 'createdAt'>,
    alongside: (transaction: Transaction<Tables>) => Promise<void> = async () => {},
  ): Promise<OwnVoice> {
    const createdAt = this.#clock.now();
    const { id, name, source } = voice;
    await this.#storage.transaction(async (transaction) => {
      await withinTenant(transaction, scope)
        .insertInto('speak_voices', {
          id,
          name,
          source,
          engine: JSON.stringify(voice.engine),
          meta: JSON.stringify(voice.meta),
          created_at: createdAt,
        })
        .execute();
      await alongside(transaction);
    });
    return { ...voice, createdAt };
  }

  deleteClone(scope: TenantScope, id: string): Promise<boolean> {
    return this.#delete(scope, 'clone', id);
  }

  deleteDesigned(scope: TenantScope, id: string): Promise<boolean> {
    return this.#delete(scope, 'design', id);
  }

  async #delete(scope: TenantScope, source: OwnVoice['source'], id: string): Promise<boolean> {
    return await this.#storage.transaction(async (transaction) => {
      const result = await withinTenant(transaction, scope)
        .deleteFrom('speak_voices')
        .where('source', '=', source)
        .where('id', '=', id)
        .executeTakeFirst();
      const deleted = result.numDeletedRows > 0n;
      // The voice and its cached speech are deleted in one transaction.
      if (deleted) await evictSpeechCache(this.#storage, scope, transaction);
      return deleted;
    });
  }

  async addDesign(scope: TenantScope, design: Design): Promise<void> {
    const now = this.#clock.now();
    await acrossTenants(this.#storage.db).deleteFrom('speak_designs').where('expires_at', '<', now).execute();
    await acrossTenants(this.#storage.db)
      .deleteFrom('speak_previews')
      .where('expires_at', '<', now)
      .execute();
    await withinTenant(this.#storage.db, scope)
      .insertInto('speak_designs', {
        id: design.id,
        description: design.description,
        text: design.text,
        candidates: JSON.stringify(design.candidates),
        created_at: now,
        expires_at: design.expiresAt,
      })
      .execute();
  }

  async design(scope: TenantScope, id: string): Promise<Design | null> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('speak_designs')
      .selectAll()
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
}
