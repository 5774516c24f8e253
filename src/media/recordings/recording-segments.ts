import type { Transaction } from 'kysely';
import { acrossTenants, type Storage, type Tables } from '../../foundation/storage/index.ts';

export interface RecordingSegment {
  readonly number: number;
  /** The transcript's clock counts it; null stands for nothing recorded. */
  readonly startsAtMs: number | null;
  readonly isStored: boolean;
  readonly isMine: boolean;
  /** Another node has its audio, and lives. */
  readonly isElsewhere: boolean;
}

const LOST_AT_ONCE = 100;

/** The segments of recordings: each is what one node recorded of a call without a break. */
export class RecordingSegments {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async open(recordingId: string, number: number, db: Storage['db'] | Transaction<Tables>): Promise<void> {
    await acrossTenants(db)
      .insertInto('call_recording_segments')
      .values({
        recording_id: recordingId,
        number,
        node_id: this.#storage.nodeId,
        starts_at_ms: null,
        is_stored: 0,
      })
      .execute();
  }

  async began(recordingId: string, number: number, starts_at_ms: number): Promise<void> {
    await this.#update(recordingId, [number], { starts_at_ms });
  }

  async stored(recordingId: string, numbers: readonly number[]): Promise<void> {
    if (numbers.length > 0) await this.#update(recordingId, numbers, { is_stored: 1 });
  }

  /** Returns them in the order in which they were recorded. */
  async of(recordingId: string): Promise<RecordingSegment[]> {
    const rows = await acrossTenants(this.#storage.db)
      .selectFrom('call_recording_segments as segment')
      .leftJoin('nodes', (join) => join.onRef('nodes.id', '=', 'segment.node_id').on('nodes.is_lost', '=', 0))
      .select(['number', 'starts_at_ms', 'is_stored', 'node_id', 'nodes.id as live_node_id'])
      .where('recording_id', '=', recordingId)
      .orderBy('number')
      .execute();
    return rows.map((row) => ({
      number: row.number,
      startsAtMs: row.starts_at_ms === null ? null : Number(row.starts_at_ms),
      isStored: row.is_stored === 1,
      isMine: row.node_id === this.#storage.nodeId,
      isElsewhere: row.live_node_id !== null && row.node_id !== this.#storage.nodeId,
    }));
  }

  /** Yields all pending recordings of which a node that is lost has a segment. */
  async *ofLostNodes(): AsyncGenerator<string, void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: { id: string }[] = await acrossTenants(this.#storage.db)
        .selectFrom('call_recordings')
        .innerJoin('call_recording_segments as segment', 'segment.recording_id', 'call_recordings.id')
        .leftJoin('nodes', (join) =>
          join.onRef('nodes.id', '=', 'segment.node_id').on('nodes.is_lost', '=', 0),
        )
        .select('call_recordings.id')
        .distinct()
        .where('call_recordings.status', 'in', ['waiting', 'recording'])
        .where('nodes.id', 'is', null)
        .where('call_recordings.id', '>', after)
        .orderBy('call_recordings.id')
        .limit(LOST_AT_ONCE)
        .execute();
      for (const { id } of rows) yield id;
      after = rows.at(-1)?.id;
    }
  }

  async remove(recordingId: string): Promise<void> {
    await acrossTenants(this.#storage.db)
      .deleteFrom('call_recording_segments')
      .where('recording_id', '=', recordingId)
      .execute();
  }

  async #update(
    recordingId: string,
    numbers: readonly number[],
    set: { readonly starts_at_ms?: number; readonly is_stored?: number },
  ): Promise<void> {
    await acrossTenants(this.#storage.db)
      .updateTable('call_recording_segments')
      .set(set)
      .where('recording_id', '=', recordingId)
      .where('number', 'in', [...numbers])
      .execute();
  }
}
