import type { Principal, TenantScope } from '../../foundation/access/contract.ts';
import { type Sealer, tenantScopeOf, tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { BackgroundTasks, RepeatingTask } from '../../foundation/platform/background-tasks.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { removeOrphans, requireNoLegalHoldOn } from '../../foundation/privacy/index.ts';
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
import { PartUploads } from './part-uploads.ts';
import {
  appended,
  conferenceAudio,
  type JoinedSegments,
  joinSegments,
  msOf,
  type RecordedAudio,
} from './recorded-audio.ts';
import { RECORDING_PARTS_AREA, RecordingParts } from './recording-parts.ts';
import { type RecordingSegment, RecordingSegments } from './recording-segments.ts';
import { RecordingSpool, segmentName } from './recording-spool.ts';
import {
  onBothChannels,
  redactionSpansOf,
  type TranscriptEntry,
  unheardSpansOf,
  withTone,
} from './redaction.ts';

export type RecordingFormat = 'wav' | 'flac' | 'opus';

/** A recording has the id of an agent's session. */
export interface RecordedCalls {
  isLive(sessionId: string): Promise<boolean>;
  isLost(sessionId: string, endedBefore: number): Promise<boolean>;
  session(sessionId: string): Promise<RecordedSession | null>;
}

export interface RecordedSession {
  readonly isLive: boolean;
  /** It ended with its node, so that words of its last moments may be missing from the transcript. */
  readonly isLost: boolean;
  /** It is null while the call goes on. */
  readonly endedAt: number | null;
  readonly transcript: () => Promise<readonly unknown[]>;
  /** Personal data is removed from what is kept of it. */
  readonly isRedacted: () => Promise<boolean>;
}

/** Stores the recordings of live calls in parts. */
export interface PartsOptions {
  readonly everyMs: number;
  readonly sealer: Sealer;
  readonly onPart: (outcome: 'stored' | 'failed') => void;
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
  /** It is null where the store is on the same disk as the files of live recordings. */
  readonly parts: PartsOptions | null;
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
const SWEEP_EVERY_MS = 15_000;
const REMOVE_ORPHANS_EVERY_MS = 600_000;
const READ_AT_ONCE = 500;
/** A server that restarts on the same disk has this long to store its recordings before they count as lost. */
const LOST_AFTER_MS = 3_600_000;
/** Parts of a recording that cannot be stored are removed after this time. */
const PARTS_LOST_AFTER_MS = 24 * LOST_AFTER_MS;
const LOST = 'recording_lost';
/** The rest was on the disk of a node that was lost. It is stored once that disk is back. */
const CUT_SHORT = 'recording_cut_short';
const REPAIRABLE: readonly string[] = [LOST, CUT_SHORT];
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
  readonly #segments: RecordingSegments;
  readonly #parts: RecordingParts | null;
  readonly #uploads: PartUploads | null;
  /** The number of the segment that this node records of each call. */
  readonly #live = new Map<string, number>();
  readonly #turns = new Map<string, Promise<void>>();
  /** They say what happened to live recordings, and could not be written yet. */
  readonly #notes = new Map<string, (() => Promise<unknown>)[]>();
  readonly #repeating: RepeatingTask[] = [];
  #orphansRemovedAt = Number.NEGATIVE_INFINITY;

  constructor(options: RecordingsOptions) {
    this.#options = options;
    const { storage, blobs, folder, parts } = options;
    this.#spool = new RecordingSpool(folder);
    this.#segments = new RecordingSegments(storage);
    this.#parts = parts === null ? null : new RecordingParts(blobs, parts.sealer);
    this.#uploads =
      parts === null || this.#parts === null
        ? null
        : new PartUploads({ spool: this.#spool, parts: this.#parts, onPart: parts.onPart });
  }

  path = (callId: string, segment = 0): string => this.#spool.segmentPath(callId, segment);

  async open(callId: string, principal: Principal, externalId: string | null, segment = 0): Promise<void> {
    this.#live.set(callId, segment);
    this.#uploads?.begin(callId);
    await this.#spool.prepare();
    const { storage, clock } = this.#options;
    if (segment > 0) return await this.#segments.open(callId, segment, storage.db);
    const now = clock.now();
    await storage.transaction(async (trx) => {
      await withinTenant(trx, tenantScopeOf(principal))
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
          is_paused: 0,
          created_at: now,
          updated_at: now,
        })
        .execute();
      await this.#segments.open(callId, segment, trx);
    });
  }

  /** Returns null where a call that is resumed is not recorded, or a version without segments began with it. */
  async resumed(callId: string): Promise<{ readonly isPaused: boolean } | null> {
    const [row, segments] = await Promise.all([this.#pending(callId), this.#segments.of(callId)]);
    return row === null || segments.length === 0 ? null : { isPaused: row.is_paused === 1 };
  }

  began(callId: string, atMs: number): void {
    const starts_at_ms = Math.round(atMs);
    const segment = this.#live.get(callId) ?? 0;
    const set = { status: 'recording', reason: 'recording_in_progress', starts_at_ms } as const;
    this.#note(callId, () => this.#segments.began(callId, segment, starts_at_ms));
    this.#note(callId, () => this.#set(callId, ['waiting'], set));
  }

  failed(callId: string): void {
    const set = { status: 'failed', reason: 'recording_failed' } as const;
    this.#note(callId, () => this.#set(callId, PENDING, set));
  }

  /** A node that resumes the call does not record what was not to be recorded. */
  paused(callId: string, isPaused: boolean): void {
    this.#note(callId, () => this.#set(callId, PENDING, { is_paused: isPaused ? 1 : 0 }));
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

  closed(callId: string, segment = 0): void {
    // The lane of a client that reconnected to this node ends after the next one began.
    if (this.#live.get(callId) === segment) this.#live.delete(callId);
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
    await this.#segments.remove(callId);
    const set = { status: 'removed', reason, bytes: null } as const;
    if (row.status !== 'success' && (await this.#set(callId, [...PENDING, 'failed'], set))) {
      await this.#spool.remove(callId);
      await this.#parts?.remove(callId);
      return true;
    }
    await this.#options.blobs.deleteOwner(RECORDING_BLOB_AREA, callId);
    return await this.#set(callId, PRESENT, set);
  }

  async forget(scope: TenantScope, callId: string): Promise<number> {
    const row = await this.find(scope, callId);
    if (row === null) return 0;
    await this.#options.blobs.deleteOwner(RECORDING_BLOB_AREA, callId);
    await this.#clean(callId, { hasParts: PENDING.includes(row.status) });
    await withinTenant(this.#options.storage.db, scope)
      .deleteFrom('call_recordings')
      .where('id', '=', callId)
      .execute();
    return row.status === 'success' ? 1 : 0;
  }

  start(): void {
    const { background, parts } = this.#options;
    const times = { everyMs: SWEEP_EVERY_MS, firstMs: 0 };
    this.#repeating.push(background.repeat('lost recordings', () => this.sweep(), times));
    if (parts === null) return;
    const upload = () => this.storeParts();
    this.#repeating.push(background.repeat('parts of recordings', upload, { everyMs: parts.everyMs }));
  }

  async stop(): Promise<void> {
    for (const task of this.#repeating.splice(0)) await task.stop();
    await Promise.all(this.#turns.values());
  }

  /** Stores what the live recordings of this node have gained since the last time. */
  async storeParts(): Promise<void> {
    const ids = [...this.#live.keys()];
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      const rows = await acrossTenants(this.#options.storage.db)
        .selectFrom('call_recordings')
        .select('id')
        .where('id', 'in', ids.slice(at, at + READ_AT_ONCE))
        .where('status', '=', 'recording')
        .execute();
      await this.#uploads?.upload(rows.map(({ id }) => id));
    }
  }

  /**
   * Stores the pending files of this machine, whose process is gone or whose upload failed, and the parts that a lost
   * node has stored.
   */
  async sweep(): Promise<void> {
    for (const callId of this.#notes.keys()) await this.#inTurn(callId, () => this.#writeNotes(callId));
    for (const callId of (await this.#spool.files()).keys()) {
      if (this.#live.has(callId)) continue;
      if (await this.#options.calls.isLive(callId)) await this.#inTurn(callId, () => this.#storeRest(callId));
      else await this.finish(callId);
    }
    if (this.#parts !== null) await this.#finishLost(this.#parts);
    await this.#endLost();
  }

  async #finishLost(parts: RecordingParts): Promise<void> {
    const { storage, blobs, calls, clock } = this.#options;
    for await (const callId of this.#segments.ofLostNodes())
      if (!this.#live.has(callId) && !(await calls.isLive(callId))) await this.finish(callId);
    if (clock.monotonic() - this.#orphansRemovedAt < REMOVE_ORPHANS_EVERY_MS) return;
    this.#orphansRemovedAt = clock.monotonic();
    // A node was killed between the end of a recording and the removal of its parts.
    for await (const callId of parts.calls())
      if (!this.#live.has(callId) && (await this.#hasEnded(callId))) await parts.remove(callId);
    // A restored copy of the database knows none of the calls that go on by the same bucket: they have newer parts.
    await removeOrphans({ storage, blobs, clock }, RECORDING_PARTS_AREA, 'call_recordings');
  }

  async #hasEnded(callId: string): Promise<boolean> {
    const row = await this.#stateOf(callId);
    return row !== null && !PENDING.includes(row.status);
  }

  async #endLost(): Promise<void> {
    const { storage, clock, calls } = this.#options;
    const before = clock.now() - LOST_AFTER_MS;
    const here = new Set([...this.#live.keys(), ...(await this.#spool.files()).keys()]);
    const rows = await acrossTenants(storage.db)
      .selectFrom('call_recordings')
      .select(['id', 'updated_at'])
      .where('status', 'in', [...PENDING])
      .where('updated_at', '<', before)
      .execute();
    for (const { id, updated_at } of rows) {
      if (here.has(id) || !(await calls.isLost(id, before))) continue;
      const mayWait = Number(updated_at) > clock.now() - PARTS_LOST_AFTER_MS;
      if (mayWait && ((await this.#parts?.find(id))?.size ?? 0) > 0) continue;
      await this.#set(id, PENDING, { status: 'failed', reason: LOST });
      await this.#parts?.remove(id);
    }
  }

  /** Stores what this node has recorded of a call that goes on elsewhere, or ended there. */
  async #storeRest(callId: string): Promise<void> {
    if (this.#uploads === null || this.#live.has(callId) || (await this.#pending(callId)) === null) return;
    const names = (await this.#spool.files()).get(callId) ?? [];
    const mine = (await this.#segments.of(callId)).filter(
      ({ number, isStored, isElsewhere }) => !isStored && !isElsewhere && names.includes(segmentName(number)),
    );
    if (mine.length === 0) return;
    await this.#uploads.upload([callId]);
    await this.#segments.stored(
      callId,
      mine.map(({ number }) => number),
    );
  }

  async #finish(callId: string): Promise<void> {
    if (this.#live.has(callId)) return;
    await this.#writeNotes(callId);
    const { storage, calls, clock } = this.#options;
    const row = await acrossTenants(storage.db)
      .selectFrom('call_recordings')
      .selectAll()
      .where('id', '=', callId)
      .executeTakeFirst();
    const session = await calls.session(callId);
    if (session?.isLive === true) return await this.#storeRest(callId);
    const isPending = row !== undefined && (PENDING.includes(row.status) || REPAIRABLE.includes(row.reason));
    if (row === undefined || session === null || !isPending) {
      await this.#clean(callId);
      // An erasure removed the session while people talked on.
      if (row === undefined || session !== null) return;
      await this.forget(tenantScopeOfRow(row), callId);
      await storage.scrub();
      return;
    }
    const segments = (await this.#segmentsOf(row)).filter(({ startsAtMs }) => startsAtMs !== null);
    // The node of the last segment stores the whole.
    if (segments.at(-1)?.isElsewhere === true) return await this.#storeRest(callId);
    const local = await this.#spool.find(callId);
    // A segment of this node without a file and without parts ended before its first sample.
    const isEmpty = ({ isMine }: RecordingSegment) => isMine && !this.#uploads?.hasUploaded(callId);
    const absent = segments.filter((one) => !local.has(segmentName(one.number)) && !isEmpty(one));
    const unstored = absent.filter(({ isStored }) => !isStored);
    const isRecent = session.endedAt === null || clock.now() - session.endedAt < LOST_AFTER_MS;
    if (isRecent && unstored.some(({ isElsewhere }) => isElsewhere)) return;
    const stored = absent.length === 0 ? null : await this.#parts?.find(callId);
    // Another node that has stored the recording meanwhile removes the parts, so that some were not found.
    if (stored && !(await this.#isUnchanged(row))) return;
    const files = new Map<string, RecordedAudio>([...(stored ?? []), ...local]);
    const whole = wholeOf(row, segments, files);
    if (whole === null || row.starts_at_ms === null) {
      if (unstored.length > 0) {
        // The disk of a lost node may come back.
        if (!isRecent) await this.#set(callId, PENDING, { status: 'failed', reason: LOST });
        return;
      }
      await this.#set(callId, ['waiting'], { status: 'skipped' });
      await this.#set(callId, ['recording'], { status: 'failed', reason: 'recording_failed' });
      await this.#clean(callId);
      return;
    }
    const isCut = unstored.length > 0;
    if (isCut && row.reason === CUT_SHORT) return await this.#spool.remove(callId);
    const last = segments.at(-1) as RecordingSegment;
    // A process that ends a session as it should stores the last segment itself, or uploads all of it.
    const hasEnd = !session.isLost && (last.isMine || last.isStored) && whole.lastSegment === last.number;
    await this.#store(
      row,
      session,
      { ...whole, cutOff: hasEnd ? whole.spans.slice(0, -1) : whole.spans },
      isCut,
    );
    await this.#clean(callId, { hasParts: absent.length > 0, isCut });
  }

  async #store(
    row: CallRecordingRow,
    session: RecordedSession,
    { audio, cutOff, isConference }: WholeRecording & { readonly cutOff: WholeRecording['spans'] },
    isCut: boolean,
  ): Promise<void> {
    const { blobs } = this.#options;
    const startsAtMs = Number(row.starts_at_ms);
    const entries = (await session.transcript()) as readonly TranscriptEntry[];
    const redacted = redactionSpansOf(entries, startsAtMs);
    const unheard =
      cutOff.length > 0 && (await session.isRedacted()) ? unheardSpansOf(entries, startsAtMs, cutOff) : [];
    const tones = [...redacted, ...unheard];
    const from = row.reason === CUT_SHORT ? PRESENT : PENDING;
    try {
      const { bytes, format } = await this.#keep(
        row,
        audio,
        withTone(audio.pcm(), audio.rate, isConference ? onBothChannels(tones) : tones),
      );
      const duration_ms = Math.round(msOf(audio.bytes, audio.rate));
      const fileFields = { format, bytes, duration_ms, redacted_spans: redacted.length };
      const set = { status: 'success', reason: isCut ? CUT_SHORT : 'recorded', ...fileFields } as const;
      if (!(await this.#set(row.id, [...from, 'failed'], set))) await this.#dropUnlessStored(row);
      else if (row.format !== null && row.format !== format) await blobs.delete(keyOf(row.id, row.format));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'storage_quota_exceeded') throw error;
      await this.#set(row.id, PENDING, { status: 'failed', reason: 'storage_quota_exceeded' });
    }
  }

  /** The recording was removed in the meantime, or another node has stored the same. */
  async #dropUnlessStored(row: CallRecordingRow): Promise<void> {
    const now = await this.find(tenantScopeOfRow(row), row.id);
    if (now?.status !== 'success') await this.#options.blobs.deleteOwner(RECORDING_BLOB_AREA, row.id);
  }

  async #stateOf(callId: string): Promise<Pick<CallRecordingRow, 'status' | 'reason' | 'is_paused'> | null> {
    const row = await acrossTenants(this.#options.storage.db)
      .selectFrom('call_recordings')
      .select(['status', 'reason', 'is_paused'])
      .where('id', '=', callId)
      .executeTakeFirst();
    return row ?? null;
  }

  async #pending(callId: string): Promise<Pick<CallRecordingRow, 'is_paused'> | null> {
    const row = await this.#stateOf(callId);
    return row !== null && PENDING.includes(row.status) ? row : null;
  }

  async #isUnchanged({ id, status, reason }: CallRecordingRow): Promise<boolean> {
    const now = await this.#stateOf(id);
    return now?.status === status && now.reason === reason;
  }

  async #segmentsOf({ id, starts_at_ms }: CallRecordingRow): Promise<RecordingSegment[]> {
    const segments = await this.#segments.of(id);
    if (segments.length > 0) return segments;
    // A node of a version without segments began the recording.
    const startsAtMs = starts_at_ms === null ? null : Number(starts_at_ms);
    return [{ number: 0, startsAtMs, isStored: false, isMine: false, isElsewhere: false }];
  }

  async #clean(callId: string, { hasParts = false, isCut = false } = {}): Promise<void> {
    await this.#spool.remove(callId);
    if (hasParts || this.#uploads?.hasUploaded(callId)) await this.#parts?.remove(callId);
    this.#uploads?.forget(callId);
    this.#notes.delete(callId);
    if (!isCut) await this.#segments.remove(callId);
  }

  async #keep(row: CallRecordingRow, { rate, bytes }: RecordedAudio, pcm: AsyncIterable<Buffer>) {
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

  #note(callId: string, write: () => Promise<unknown>): void {
    const notes = this.#notes.get(callId) ?? [];
    this.#notes.set(callId, notes);
    notes.push(write);
    void this.#inTurn(callId, () => this.#writeNotes(callId));
  }

  async #writeNotes(callId: string): Promise<void> {
    const notes = this.#notes.get(callId) ?? [];
    while (notes.length > 0) {
      await notes[0]?.();
      notes.shift();
    }
    if (this.#notes.get(callId) === notes) this.#notes.delete(callId);
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

interface WholeRecording extends Pick<JoinedSegments, 'spans'> {
  readonly audio: RecordedAudio;
  readonly isConference: boolean;
  /** The number of the segment that has the last of the spans. */
  readonly lastSegment: number;
}

/** Joins the files of a recording: the agent's segments, a person beside it, and the talk of people after it. */
function wholeOf(
  { starts_at_ms }: CallRecordingRow,
  segments: readonly RecordingSegment[],
  files: ReadonlyMap<string, RecordedAudio>,
): WholeRecording | null {
  const own = segments.flatMap(({ number, startsAtMs }) => {
    const audio = files.get(segmentName(number));
    return audio === undefined || startsAtMs === null || audio.bytes === 0
      ? []
      : [{ number, startsAtMs, audio }];
  });
  const [first] = own;
  if (first === undefined) return null;
  // A client that reconnected at another rate is left out.
  const fits = ({ rate }: RecordedAudio) => rate === first.audio.rate;
  const bridged = files.get('beside');
  const isConference = bridged !== undefined && fits(bridged);
  const agents = own.filter(({ audio }) => fits(audio));
  if (isConference) agents[0] = { ...first, audio: conferenceAudio(first.audio, bridged) };
  const joined = joinSegments(agents, Number(starts_at_ms));
  const lastSegment = agents.at(-1)?.number;
  if (joined === null || lastSegment === undefined) return null;
  let audio: RecordedAudio = joined;
  for (const [name, talk] of files)
    if (/^[0-9]+$/.test(name) && fits(talk)) audio = appended(audio, Number(name), talk);
  return { audio, spans: joined.spans, isConference, lastSegment };
}

async function* withHeader(header: Buffer, pcm: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield header;
  yield* pcm;
}
