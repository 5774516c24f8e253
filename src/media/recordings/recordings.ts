import type { Principal, TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOf, tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { BackgroundTasks, RepeatingTask } from '../../foundation/platform/background-tasks.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { requireNoLegalHoldOn } from '../../foundation/privacy/index.ts';
import {
  acrossTenants,
  type BlobBody,
  type BlobKey,
  type Blobs,
  type ByteRange,
  payerOf,
  type Storage,
  withinTenant,
} from '../../foundation/storage/index.ts';
import type { CallRecordingRow } from '../../foundation/storage/tables/recordings.ts';
import { encode, wavHeader } from '../codec/index.ts';
import { BridgeRecording } from './bridge-recording.ts';
import { RecordingSpool, type SpooledFile } from './recording-spool.ts';
import { onBothChannels, redactionSpansOf, withTone } from './redaction.ts';

export type RecordingFormat = 'wav' | 'flac' | 'opus';

/** A recording has the id of an agent's session. */
export interface RecordedCalls {
  isLive(sessionId: string): Promise<boolean>;
  isLost(sessionId: string, endedBefore: number): Promise<boolean>;
  session(sessionId: string): Promise<RecordedSession | null>;
}

export interface RecordedSession {
  readonly isLive: boolean;
  readonly transcript: () => Promise<readonly unknown[]>;
}

export interface RecordingsOptions {
  readonly storage: Storage;
  readonly calls: RecordedCalls;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly folder: string;
  readonly format: RecordingFormat;
  readonly ffmpeg: string | null;
  readonly onError?: (error: unknown) => void;
}

export interface RecordingFile {
  readonly contentType: string;
  readonly extension: string;
  readonly bytes: number;
  body(range: ByteRange | null): Promise<BlobBody>;
}

export const RECORDING_BLOB_AREA = 'recordings';
const TYPES = {
  wav: { contentType: 'audio/wav', extension: 'wav' },
  flac: { contentType: 'audio/flac', extension: 'flac' },
  opus: { contentType: 'audio/ogg', extension: 'ogg' },
} as const;
const FRAME_BYTES = 4;
const SWEEP_EVERY_MS = 15_000;
/** A server that restarts on the same disk has this long to store its recordings before they count as lost. */
const LOST_AFTER_MS = 3_600_000;
const LOST = 'recording_lost';
type Status = CallRecordingRow['status'];
const PENDING: readonly Status[] = ['waiting', 'recording'];
const PRESENT: readonly Status[] = [...PENDING, 'success'];

const keyOf = (callId: string, format: RecordingFormat): BlobKey => ({
  area: RECORDING_BLOB_AREA,
  owner: callId,
  name: `call.${TYPES[format].extension}`,
});

export class Recordings {
  readonly #options: RecordingsOptions;
  readonly #spool: RecordingSpool;
  readonly #live = new Set<string>();
  readonly #turns = new Map<string, Promise<void>>();
  #sweeping: RepeatingTask | null = null;

  constructor(options: RecordingsOptions) {
    this.#options = options;
    this.#spool = new RecordingSpool(options.folder);
  }

  path = (callId: string): string => this.#spool.path(callId);

  async open(callId: string, principal: Principal, externalId: string | null): Promise<void> {
    this.#live.add(callId);
    await this.#spool.prepare();
    const now = this.#options.clock.now();
    await withinTenant(this.#options.storage.db, tenantScopeOf(principal))
      .insertInto('call_recordings', {
        id: callId,
        external_id: externalId,
        status: 'waiting',
        reason: 'consent_line_not_heard',
        format: null,
        bytes: null,
        starts_at_ms: null,
        duration_ms: null,
        redacted_spans: 0,
        created_at: now,
        updated_at: now,
      })
      .execute();
  }

  began(callId: string, atMs: number): void {
    const starts_at_ms = Math.round(atMs);
    const set = { status: 'recording', reason: 'recording_in_progress', starts_at_ms } as const;
    void this.#inTurn(callId, () => this.#set(callId, ['waiting'], set));
  }

  failed(callId: string): void {
    const set = { status: 'failed', reason: 'recording_failed' } as const;
    void this.#inTurn(callId, () => this.#set(callId, PENDING, set));
  }

  /**
   * Adds the audio of people who talk on, `afterMs` after the agent's last sample, or together with the agent (null).
   * `closed` follows after their end.
   */
  recordBridge(callId: string, afterMs: number | null): BridgeRecording {
    const path = this.#spool.bridgePath(callId, afterMs);
    const failed = (error: unknown) => {
      this.#options.onError?.(error);
      this.failed(callId);
    };
    return new BridgeRecording({ path, clock: this.#options.clock, failed });
  }

  closed(callId: string): void {
    this.#live.delete(callId);
    void this.finish(callId);
  }

  /** Stores the recording of an ended call. The sweep retries after a failure. Never rejects. */
  finish(callId: string): Promise<void> {
    return this.#inTurn(callId, () => this.#finish(callId));
  }

  async among(scope: TenantScope, callIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (callIds.length === 0) return new Set();
    const rows = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('call_recordings')
      .select('id')
      .where('id', 'in', [...callIds])
      .where('status', '=', 'success')
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  async find(scope: TenantScope, callId: string): Promise<CallRecordingRow | null> {
    const row = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('call_recordings')
      .selectAll()
      .where('id', '=', callId)
      .executeTakeFirst();
    return row ?? null;
  }

  async file(scope: TenantScope, callId: string): Promise<RecordingFile | null> {
    const row = await this.find(scope, callId);
    if (row?.status !== 'success' || row.format === null) return null;
    const { format } = row;
    return {
      ...TYPES[format],
      bytes: Number(row.bytes),
      body: async (range) => {
        const body = await this.#options.blobs.get(keyOf(callId, format), range ?? undefined);
        if (body === null)
          throw new ApiError(
            'not_found',
            'The recording of this call was deleted after its retention period.',
          );
        return body;
      },
    };
  }

  /**
   * Removes the audio, stored or pending; the row keeps the fact that it existed. Returns false where there is none.
   */
  async remove(scope: TenantScope, callId: string, reason = 'recording_deleted'): Promise<boolean> {
    const row = await this.find(scope, callId);
    if (row === null || !(PRESENT.includes(row.status) || row.reason === LOST)) return false;
    await requireNoLegalHoldOn(this.#options.storage.db, scope, callId);
    const set = { status: 'removed', reason, bytes: null } as const;
    if (row.status !== 'success' && (await this.#set(callId, [...PENDING, 'failed'], set))) {
      await this.#spool.remove(callId);
      return true;
    }
    await this.#options.blobs.deleteOwner(RECORDING_BLOB_AREA, callId);
    return await this.#set(callId, PRESENT, set);
  }

  async forget(scope: TenantScope, callId: string): Promise<number> {
    const row = await this.find(scope, callId);
    if (row === null) return 0;
    await this.#options.blobs.deleteOwner(RECORDING_BLOB_AREA, callId);
    await this.#spool.remove(callId);
    await withinTenant(this.#options.storage.db, scope)
      .deleteFrom('call_recordings')
      .where('id', '=', callId)
      .execute();
    return row.status === 'success' ? 1 : 0;
  }

  start(): void {
    const times = { everyMs: SWEEP_EVERY_MS, firstMs: 0 };
    this.#sweeping = this.#options.background.repeat('lost recordings', () => this.sweep(), times);
  }

  async stop(): Promise<void> {
    await this.#sweeping?.stop();
    await Promise.all(this.#turns.values());
  }

  /** Stores the pending files of this machine, whose process is gone or whose upload failed. */
  async sweep(): Promise<void> {
    for (const callId of await this.#spool.calls()) {
      if (this.#live.has(callId) || (await this.#options.calls.isLive(callId))) continue;
      await this.finish(callId);
    }
    await this.#endLost();
  }

  async #endLost(): Promise<void> {
    const { storage, clock, calls } = this.#options;
    const before = clock.now() - LOST_AFTER_MS;
    const here = new Set([...this.#live, ...(await this.#spool.calls())]);
    const rows = await acrossTenants(storage.db)
      .selectFrom('call_recordings')
      .select('id')
      .where('status', 'in', [...PENDING])
      .where('updated_at', '<', before)
      .execute();
    for (const { id } of rows)
      if (!here.has(id) && (await calls.isLost(id, before)))
        await this.#set(id, PENDING, { status: 'failed', reason: LOST });
  }

  async #finish(callId: string): Promise<void> {
    if (this.#live.has(callId)) return;
    const db = acrossTenants(this.#options.storage.db);
    const row = await db
      .selectFrom('call_recordings')
      .selectAll()
      .where('id', '=', callId)
      .executeTakeFirst();
    const session = await this.#options.calls.session(callId);
    if (session?.isLive === true) return;
    const isPending = row !== undefined && (PENDING.includes(row.status) || row.reason === LOST);
    if (row === undefined || session === null || !isPending) {
      await this.#spool.remove(callId);
      // An erasure removed the session while people talked on.
      if (row === undefined || session !== null) return;
      await this.forget(tenantScopeOfRow(row), callId);
      await this.#options.storage.scrub();
      return;
    }
    const file = await this.#spool.find(callId);
    if (file === null || file.bytes === 0 || row.starts_at_ms === null) {
      await this.#set(callId, ['waiting'], { status: 'skipped' });
      await this.#spool.remove(callId);
      return;
    }
    const entries = await session.transcript();
    const spans = redactionSpansOf(
      entries as Parameters<typeof redactionSpansOf>[0],
      Number(row.starts_at_ms),
    );
    try {
      const { bytes, format } = await this.#keep(
        row,
        file,
        withTone(file.pcm(), file.rate, file.isConference ? onBothChannels(spans) : spans),
      );
      const duration_ms = Math.round((file.bytes / FRAME_BYTES / file.rate) * 1000);
      const fileFields = { format, bytes, duration_ms, redacted_spans: spans.length };
      const set = { status: 'success', reason: 'recorded', ...fileFields } as const;
      // The recording was removed in the meantime.
      if (!(await this.#set(callId, [...PENDING, 'failed'], set)))
        await this.#options.blobs.deleteOwner(RECORDING_BLOB_AREA, callId);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'storage_quota_exceeded') throw error;
      await this.#set(callId, PENDING, { status: 'failed', reason: 'storage_quota_exceeded' });
    }
    await this.#spool.remove(callId);
  }

  async #keep(row: CallRecordingRow, { rate, bytes }: SpooledFile, pcm: AsyncIterable<Buffer>) {
    const { blobs, ffmpeg } = this.#options;
    const format = ffmpeg === null ? 'wav' : this.#options.format;
    const plain = format === 'wav' || ffmpeg === null;
    const source = plain
      ? withHeader(wavHeader({ sampleRate: rate, channels: 2, sample: 's16' }, bytes), pcm)
      : encode(ffmpeg, pcm, { format, sampleRate: rate, channels: 2 });
    const length = plain ? bytes + 44 : undefined;
    const payer = payerOf(tenantScopeOfRow(row), length);
    const { contentType } = TYPES[format];
    const stored = await blobs.put(keyOf(row.id, format), source, { payer, contentType });
    return { format, bytes: stored.bytes };
  }

  async #inTurn(callId: string, task: () => Promise<unknown>): Promise<void> {
    const before = this.#turns.get(callId) ?? Promise.resolve();
    const running = before.then(task).then(
      () => undefined,
      (error: unknown) => this.#options.onError?.(error),
    );
    this.#turns.set(callId, running);
    await running;
    if (this.#turns.get(callId) === running) this.#turns.delete(callId);
  }

  async #set(callId: string, from: readonly Status[], set: Partial<CallRecordingRow>): Promise<boolean> {
    const { numUpdatedRows } = await acrossTenants(this.#options.storage.db)
      .updateTable('call_recordings')
      .set({ ...set, updated_at: this.#options.clock.now() })
      .where('id', '=', callId)
      .where('status', 'in', [...from])
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}

async function* withHeader(header: Buffer, pcm: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield header;
  yield* pcm;
}
