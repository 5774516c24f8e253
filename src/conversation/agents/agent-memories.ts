import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { DataSubject, ErasureResult, PersonalDataStore } from '../../foundation/privacy/contract.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';

/** The newest facts replace the oldest beyond this limit, which bounds the agent's prompt. */
const MOST_FACTS = 20;

export class AgentMemories implements PersonalDataStore {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  async add(scope: TenantScope, agentId: string, externalId: string, fact: string): Promise<void> {
    const row = { agent_id: agentId, external_id: externalId, fact, created_at: this.#clock.now() };
    await this.#storage.transaction(async (trx) => {
      const mine = withinTenant(trx, scope);
      await mine.insertInto('agent_memories', { id: newId('mem'), ...row }).execute();
      const stored = await mine
        .selectFrom('agent_memories')
        .select('id')
        .where('external_id', '=', externalId)
        .where('agent_id', '=', agentId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      const old = stored.slice(MOST_FACTS).map(({ id }) => id);
      if (old.length > 0) await mine.deleteFrom('agent_memories').where('id', 'in', old).execute();
    });
  }

  async of(scope: TenantScope, agentId: string, externalId: string): Promise<string[]> {
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('agent_memories')
      .select('fact')
      .where('external_id', '=', externalId)
      .where('agent_id', '=', agentId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(({ fact }) => fact);
  }

  async dataSubjectsOf(scope: TenantScope): Promise<readonly string[]> {
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('agent_memories')
      .select('external_id')
      .distinct()
      .execute();
    return rows.map((row) => row.external_id);
  }

  /** Legal holds do not cover memories. */
  has = async (): Promise<boolean> => false;

  async erase(scope: TenantScope, { externalId, until }: DataSubject): Promise<ErasureResult> {
    const { numDeletedRows } = await withinTenant(this.#storage.db, scope)
      .deleteFrom('agent_memories')
      .where('external_id', '=', externalId)
      .where('created_at', '<=', until)
      .executeTakeFirst();
    return { counts: { memories: Number(numDeletedRows) }, records: [], held: [] };
  }
}
