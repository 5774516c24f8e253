import { acrossTenants, type Blobs, isOwnerGone, type Storage } from '../../foundation/storage/index.ts';
import { readTranscriptEntries } from './transcripts.ts';

/** A recording has the id of its session. */
export class RecordedCalls {
  readonly #storage: Storage;
  readonly #blobs: Pick<Blobs, 'get'>;

  constructor(storage: Storage, blobs: Pick<Blobs, 'get'>) {
    this.#storage = storage;
    this.#blobs = blobs;
  }

  /** Whether the call goes on in some process, which may record people who talk on without the agent. */
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

  /** Whether the call ended before, and the process that had it is gone, with what it recorded. */
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

  /** The session of a recording; null: its record is not kept any more. */
  async session(sessionId: string) {
    const row = await acrossTenants(this.#storage.db)
      .selectFrom('omni_calls')
      .select(['id', 'status', 'transcript', 'transcript_offloaded_at'])
      .where('id', '=', sessionId)
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      isLive: row.status === 'live',
      transcript: async () => (await readTranscriptEntries(this.#blobs, row)) ?? [],
    };
  }
}
