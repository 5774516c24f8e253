import { acrossTenants, type Blobs, isOwnerGone, type Storage } from '../../foundation/storage/index.ts';
import { readTranscriptEntries } from './transcripts.ts';

export class RecordedCalls {
  readonly #storage: Storage;
  readonly #blobs: Pick<Blobs, 'get'>;

  constructor(storage: Storage, blobs: Pick<Blobs, 'get'>) {
    this.#storage = storage;
    this.#blobs = blobs;
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
