import type { TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import { acrossTenants, type Blobs, isOwnerGone, type Storage } from '../../foundation/storage/index.ts';
import { agentsOf } from './call-store.ts';
import { readTranscriptEntries } from './transcripts.ts';

type Redacts = (scope: TenantScope, agentId: string | null) => Promise<boolean>;

export class RecordedCalls {
  readonly #storage: Storage;
  readonly #blobs: Pick<Blobs, 'get'>;
  readonly #redacts: Redacts;

  /** `redacts` reports whether personal data is removed from what is kept of an agent's calls. */
  constructor(storage: Storage, blobs: Pick<Blobs, 'get'>, redacts: Redacts = async () => true) {
    this.#storage = storage;
    this.#blobs = blobs;
    this.#redacts = redacts;
  }

  async isLive(sessionId: string): Promise<boolean> {
    const live = await acrossTenants(this.#storage.db)
      .selectFrom('calls')
      .innerJoin('omni_calls', 'omni_calls.call_id', 'calls.id')
      .select('calls.id')
      .where('omni_calls.id', '=', sessionId)
      .where('calls.state', '<>', 'ended')
      .where(({ not }) => not(isOwnerGone()))
      .executeTakeFirst();
    return live !== undefined;
  }

  /** Reports whether the call ended before that time and its process, with the recording, is gone. */
  async isLost(sessionId: string, endedBefore: number): Promise<boolean> {
    const lost = await acrossTenants(this.#storage.db)
      .selectFrom('calls')
      .innerJoin('omni_calls', 'omni_calls.call_id', 'calls.id')
      .select('calls.id')
      .where('omni_calls.id', '=', sessionId)
      .where('calls.ended_at', '<', endedBefore)
      .where(isOwnerGone())
      .executeTakeFirst();
    return lost !== undefined;
  }

  async session(sessionId: string) {
    const row = await acrossTenants(this.#storage.db)
      .selectFrom('omni_calls')
      .leftJoin('calls', 'calls.id', 'omni_calls.call_id')
      .select(['omni_calls.id', 'status', 'transcript', 'transcript_offloaded_at', 'turns', 'agent_id'])
      .select(['omni_calls.org_id', 'omni_calls.project_id', 'omni_calls.environment'])
      .select(['omni_calls.lost_at', 'calls.ended_at'])
      .where('omni_calls.id', '=', sessionId)
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      isLive: row.status === 'live',
      isLost: row.lost_at !== null,
      endedAt: row.ended_at === null ? null : Number(row.ended_at),
      transcript: async () => (await readTranscriptEntries(this.#blobs, row)) ?? [],
      isRedacted: async () => {
        const scope = tenantScopeOfRow(row);
        const agents = agentsOf(row.agent_id, JSON.parse(row.turns ?? '{}') as object);
        return (await Promise.all([...agents].map((id) => this.#redacts(scope, id)))).includes(true);
      },
    };
  }
}
