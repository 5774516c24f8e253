import type { Principal } from '../../foundation/access/contract.ts';
import { type Reach, reachOf } from '../../foundation/access/index.ts';
import type { Billing } from '../../foundation/billing/contract.ts';
import { usageOf } from '../../foundation/billing/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { type Repeating, repeat } from '../../foundation/platform/repeat.ts';
import { mustNotBeHeld } from '../../foundation/privacy/index.ts';
import type { Blobs, Storage } from '../../foundation/storage/index.ts';
import { acrossBorders, newestFirst, within } from '../../foundation/storage/index.ts';
import type { OmniCallRow } from '../../foundation/storage/tables/omni.ts';
import type { Withheld } from './call-end.ts';
import { type CallFilter, filtered, saidIn } from './call-filter.ts';
import { type KeptToolCall, keptTools, type Talk } from './kept-tools.ts';
import { removeTranscript } from './transcripts.ts';

export interface CallStart {
  readonly id: string;
  readonly principal: Principal;
  readonly sessionLabel: string | null;
  readonly externalId: string | null;
  readonly language: string;
  readonly voiceId: string;
  readonly voiceTier: 'standard' | 'natural';
  /** It is the one that is allowed under load. */
  readonly voiceGaveWay?: boolean;
  readonly meta: Record<string, unknown> | null;
  /** The profile and its version that serves the call. */
  readonly agentId?: string | null;
  readonly agentVersion?: number | null;
}

/** What is known of a call's course when it begins. */
const GAVE_WAY = { turns: [], degraded: [], voice_gave_way: true };

export interface CallEnd {
  readonly status: 'completed' | 'failed';
  readonly endReason: string;
  readonly language: string;
  readonly voiceId: string;
  readonly voiceTier: 'standard' | 'natural';
  readonly durationMs: number;
  /** 0 for a call that failed, and for one in which nothing came from the caller and nothing was said. */
  readonly billedMs: number;
  readonly transcript: readonly unknown[];
  readonly turns: Record<string, unknown>;
  /** Absent: none was called. */
  readonly tools?: readonly KeptToolCall[];
  /** Absent: nothing was held back. */
  readonly withheld?: readonly Withheld[];
}

/** What a call has come to; kept now and then, for a node that is lost. */
export type CallSoFar = Pick<CallEnd, 'durationMs' | 'transcript' | 'turns' | 'tools' | 'withheld'>;

/** A node says this often that its calls still live. */
const SEEN_EVERY_MS = 15_000;
/** A live call that no node spoke of for this long was lost with its node. */
const LOST_AFTER_MS = 60_000;
/** How long the end of the process waits for records: the longest is a lane's last account of what was heard. */
const LAST_RECORDS_MS = 5_000;

/** What a list shows of a call: not the transcripts of a whole page. */
const HEAD = [
  'id',
  'status',
  'started_at',
  'created_at',
  'session_label',
  'external_id',
  'language',
  'voice_id',
  'voice_tier',
  'duration_ms',
  'end_reason',
  'agent_id',
  'agent_version',
  'transcript_removed_at',
  'summary_status',
  'outcome',
] as const satisfies readonly (keyof OmniCallRow)[];
export type CallHead = Pick<OmniCallRow, (typeof HEAD)[number]>;

export interface CallStoreOptions {
  readonly storage: Storage;
  /** Where transcripts lie that were offloaded. */
  readonly blobs: Pick<Blobs, 'deleteOwner'>;
  readonly billing: Billing;
  readonly clock: Clock;
  readonly onError?: (error: unknown) => void;
  /** Who goes on with what was said, in the transaction that writes the record. */
  readonly ended?: (transaction: Trx, row: EndedRow) => Promise<void>;
  /** What was said as it may be kept of a call of that agent: the transcript, and values of tools, each read by itself. */
  readonly kept?: (reach: Reach, agentId: string | null, talks: readonly Talk[]) => Promise<readonly Talk[]>;
}

export type EndedRow = Pick<OmniCallRow, 'id' | 'org_id' | 'project_id' | 'environment'>;
type Trx = Parameters<Parameters<Storage['transaction']>[0]>[0];

interface LiveRecord {
  readonly reach: Reach;
  readonly agentId: string | null;
  readonly soFar: () => CallSoFar | null;
}

type Columns = Pick<
  OmniCallRow,
  'duration_ms' | 'transcript' | 'transcript_bytes' | 'said' | 'turns' | 'tools' | 'withheld'
>;

/** The records of calls: opened when a call starts, written once when it ends, whatever ends it. */
export class CallStore {
  readonly #options: CallStoreOptions;
  readonly #live = new Map<string, LiveRecord>();
  /** Ended, and not yet written: the database was away. */
  readonly #unwritten = new Map<string, { end: CallEnd; hold: string | null }>();
  #settled: (() => void)[] = [];
  #sweeping: Repeating | null = null;

  constructor(options: CallStoreOptions) {
    this.#options = options;
  }

  async open(start: CallStart, soFar: () => CallSoFar | null = () => null): Promise<void> {
    const now = this.#options.clock.now();
    const { principal } = start;
    await within(this.#options.storage.db, reachOf(principal))
      .insertInto('omni_calls', {
        id: start.id,
        key_id: principal.keyId,
        status: 'live',
        seen_at: now,
        started_at: now,
        created_at: now,
        session_label: start.sessionLabel,
        external_id: start.externalId,
        language: start.language,
        voice_id: start.voiceId,
        voice_tier: start.voiceTier,
        duration_ms: 0,
        meta: start.meta === null ? null : JSON.stringify(start.meta),
        agent_id: start.agentId ?? null,
        agent_version: start.agentVersion ?? null,
        ...(start.voiceGaveWay ? { turns: JSON.stringify(GAVE_WAY) } : {}),
      })
      .execute();
    this.#live.set(start.id, { reach: reachOf(principal), agentId: start.agentId ?? null, soFar });
  }

  /** True for the one that wrote the record. Rejects where it could not be written; it is tried again until it can. */
  async close(id: string, end: CallEnd, hold: string | null = null): Promise<boolean> {
    try {
      const wrote = await this.#write(id, end, hold);
      this.#unwritten.delete(id);
      this.#forget(id);
      return wrote;
    } catch (error) {
      this.#unwritten.set(id, { end, hold });
      throw error;
    }
  }

  /** A call that could not begin after it was opened, if it was: the next sweep writes it as failed. */
  abandon(id: string): void {
    if (this.#live.has(id)) this.#forget(id);
  }

  #forget(id: string): void {
    this.#live.delete(id);
    if (this.#live.size === 0) for (const tell of this.#settled.splice(0)) tell();
  }

  /** The usage event is in the same transaction. */
  async #write(id: string, end: CallEnd, hold: string | null): Promise<boolean> {
    const { storage, billing, ended } = this.#options;
    const columns = await this.#columns(id, end);
    return await storage.transaction(async (transaction) => {
      const row = await acrossBorders(transaction)
        .updateTable('omni_calls')
        .set({
          status: end.status,
          end_reason: end.endReason,
          error: end.status === 'failed' ? 'call_failed' : null,
          language: end.language,
          voice_id: end.voiceId,
          voice_tier: end.voiceTier,
          ...columns,
        })
        .where('id', '=', id)
        .where('status', '=', 'live')
        .returning(['org_id', 'project_id', 'key_id', 'environment', 'started_at'])
        .executeTakeFirst();
      if (row === undefined) return false;
      await billing.record(
        transaction,
        usageOf(row, {
          id: `use_${id}`,
          use: 'omni.call',
          milliseconds: end.billedMs,
          resource: id,
          occurredAt: row.started_at,
          hold,
        }),
      );
      await ended?.(transaction, { id, ...row });
      return true;
    });
  }

  /** As they may be kept: what is personal goes before it reaches the database. */
  async #columns(
    id: string,
    { durationMs, transcript, turns, tools = [], withheld = [] }: CallSoFar,
  ): Promise<Columns> {
    const live = this.#live.get(id);
    const { kept } = this.#options;
    const keep = async (talks: readonly Talk[]) =>
      live === undefined || kept === undefined ? talks : await kept(live.reach, live.agentId, talks);
    const [words = [], unsaid = []] = await keep([transcript, withheld]);
    const text = JSON.stringify(words);
    return {
      duration_ms: durationMs,
      transcript: text,
      transcript_bytes: Buffer.byteLength(text),
      said: saidIn(words),
      turns: JSON.stringify(turns),
      withheld: unsaid.length === 0 ? null : JSON.stringify(unsaid),
      tools: tools.length === 0 ? null : JSON.stringify(await keptTools(tools, keep)),
    };
  }

  async list(reach: Reach, query: PageQuery & CallFilter, start: PageEnd | null): Promise<CallHead[]> {
    const select = within(this.#options.storage.db, reach)
      .selectFrom('omni_calls')
      .select(HEAD)
      .where('status', '!=', 'live');
    return await newestFirst(filtered(select, query), query, start).execute();
  }

  /** Null for a call that is unknown, another organization's, or still live. */
  async find(reach: Reach, id: string): Promise<OmniCallRow | null> {
    const row = await within(this.#options.storage.db, reach)
      .selectFrom('omni_calls')
      .selectAll()
      .where('id', '=', id)
      .where('status', '!=', 'live')
      .executeTakeFirst();
    return row ?? null;
  }

  async delete(reach: Reach, id: string): Promise<boolean> {
    const { storage, blobs } = this.#options;
    await mustNotBeHeld(storage.db, reach, id);
    if ((await this.find(reach, id)) === null) return false;
    const row = within(storage.db, reach).deleteFrom('omni_calls').where('id', '=', id);
    const { numDeletedRows } = await removeTranscript(blobs, id, () => row.executeTakeFirst());
    await storage.scrub();
    return numDeletedRows > 0n;
  }

  /** Says that this node's calls live, and writes as failed those of nodes that are gone. */
  async sweep(): Promise<void> {
    const { storage, clock } = this.#options;
    const now = clock.now();
    const calls: [string, Columns | null][] = [];
    for (const [id, { soFar }] of this.#live) {
      const call = soFar();
      calls.push([id, call === null ? null : await this.#columns(id, call)]);
    }
    await storage.transaction(async (transaction) => {
      for (const [id, columns] of calls) {
        await acrossBorders(transaction)
          .updateTable('omni_calls')
          .set({ seen_at: now, ...columns })
          .where('id', '=', id)
          .where('status', '=', 'live')
          .execute();
      }
    });
    for (const [id, { end, hold }] of [...this.#unwritten])
      await this.close(id, end, hold).catch((error: unknown) => this.#options.onError?.(error as Error));
    await this.#writeLost(now);
  }

  async #writeLost(now: number): Promise<void> {
    const { storage, ended } = this.#options;
    await storage.transaction(async (transaction) => {
      const rows = await acrossBorders(transaction)
        .updateTable('omni_calls')
        .set({ status: 'failed', error: 'call_failed', end_reason: 'engine_failed' })
        .where('status', '=', 'live')
        .where('seen_at', '<', now - LOST_AFTER_MS)
        .returning(['id', 'org_id', 'project_id', 'environment'])
        .execute();
      for (const row of rows) await ended?.(transaction, row);
    });
  }

  start(): void {
    const { clock, onError } = this.#options;
    this.#sweeping = repeat(clock, () => this.sweep(), { everyMs: SEEN_EVERY_MS, firstMs: 0, onError });
  }

  /** Waits until every call has ended and is written; calls may go on for `deadlineMs`. */
  async stop(deadlineMs = 0): Promise<void> {
    if (this.#live.size > 0) {
      let stop = (): void => undefined;
      await new Promise<void>((resolve) => {
        this.#settled.push(resolve);
        stop = this.#options.clock.after(deadlineMs + LAST_RECORDS_MS, resolve);
      });
      stop();
    }
    await this.#sweeping?.stop();
  }
}
