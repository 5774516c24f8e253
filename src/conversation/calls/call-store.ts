import type { Principal } from '../../foundation/access/contract.ts';
import { type TenantScope, tenantScopeOf, tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { Billing } from '../../foundation/billing/contract.ts';
import {
  forgetProviderCosts,
  insertProviderCosts,
  type ProviderCost,
  usageEventOf,
} from '../../foundation/billing/index.ts';
import { DomainEvent, type DomainEvents } from '../../foundation/events/index.ts';
import type { BackgroundTasks, RepeatingTask } from '../../foundation/platform/background-tasks.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { FINAL_WRITES_TIMEOUT_MS, retryWrite } from '../../foundation/platform/record-writer.ts';
import { requireNoLegalHoldOn } from '../../foundation/privacy/index.ts';
import type { Blobs, Storage } from '../../foundation/storage/index.ts';
import { acrossTenants, newestFirst, SEEN_BY_LEASE, withinTenant } from '../../foundation/storage/index.ts';
import type { CallRow } from '../../foundation/storage/tables/calls.ts';
import type { OmniCallRow } from '../../foundation/storage/tables/omni.ts';
import { type CallCheckpoint, endOfCheckpoint } from './call-checkpoint.ts';
import {
  type CallCheckpoints,
  type ClaimedCheckpoint,
  type HeldCheckpoint,
  RESUME_WITHIN_MS,
} from './call-checkpoints.ts';
import type { WithheldSentence } from './call-end.ts';
import { applyCallFilter, type OmniCallFilter, searchTextOf } from './call-filter.ts';
import { beginCall, endCallIfOver, forgetCallIfEmpty, usageIdOf } from './call-records.ts';
import { callUseOf } from './call-use.ts';
import type { CallParts, LostCall } from './lost-calls.ts';
import { type RedactionUnit, redactToolCalls, type StoredToolCall } from './tool-call-redaction.ts';
import { removeTranscript } from './transcripts.ts';

export interface CallStart {
  readonly id: string;
  readonly partOf?: string;
  readonly kind?: CallRow['kind'];
  readonly principal: Principal;
  readonly sessionLabel: string | null;
  readonly externalId: string | null;
  readonly language: string;
  readonly voiceId: string;
  readonly voiceTier: 'standard' | 'natural';
  readonly usesVoiceUnderLoad?: boolean;
  readonly meta: Record<string, unknown> | null;
  readonly agentId?: string | null;
  readonly agentVersion?: number | null;
  readonly resumeKey?: string;
}

const VOICE_UNDER_LOAD_TURNS = { turns: [], degraded: [], voice_gave_way: true };

export interface CallEnd {
  readonly status: 'completed' | 'failed';
  readonly endReason: string;
  readonly language: string;
  readonly voiceId: string;
  readonly voiceTier: 'standard' | 'natural';
  readonly durationMs: number;
  /** The value is 0 for a failed call, and for one with neither audio from the caller nor words in the transcript. */
  readonly billedMs: number;
  readonly transcript: readonly unknown[];
  readonly turns: Record<string, unknown>;
  readonly providerCosts?: readonly ProviderCost[];
  readonly tools?: readonly StoredToolCall[];
  readonly withheld?: readonly WithheldSentence[];
}

export type CallSnapshot = Pick<CallEnd, 'durationMs' | 'transcript' | 'turns' | 'tools' | 'withheld'>;

const FAILED = { status: 'failed', error: 'call_failed', end_reason: 'engine_failed' } as const;
const PROGRESS_EVERY_MS = 15_000;

const LIST_COLUMNS = [
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
  'turns',
  'tools',
] as const satisfies readonly (keyof OmniCallRow)[];
export type CallListRow = Pick<OmniCallRow, (typeof LIST_COLUMNS)[number]>;

export interface CallStoreOptions {
  readonly storage: Storage;
  readonly blobs: Pick<Blobs, 'deleteOwner'>;
  readonly billing: Billing;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly onError?: (error: unknown) => void;
  /** Without checkpoints, a call ends with its connection or its node. */
  readonly checkpoints?: CallCheckpoints;
  readonly events?: Pick<DomainEvents, 'publish'>;
  /**
   * Redacts a call's words by its agent's policy before they are stored: the transcript, and each value of a tool
   * call by itself.
   */
  readonly redact?: (
    scope: TenantScope,
    agentId: string | null,
    talks: readonly RedactionUnit[],
  ) => Promise<readonly RedactionUnit[]>;
}

export type EndedCallRow = Pick<OmniCallRow, 'id' | 'org_id' | 'project_id' | 'environment'>;
export const SessionEnded = new DomainEvent<EndedCallRow>('session.ended');
type Trx = Parameters<Parameters<Storage['transaction']>[0]>[0];

interface LiveRecord {
  readonly callId: string;
  readonly scope: TenantScope;
  readonly agentId: string | null;
  readonly snapshot: () => CallSnapshot | null;
  readonly held: HeldCheckpoint | null;
}

type RecordOwner = Pick<LiveRecord, 'scope' | 'agentId'>;

interface EndedCall {
  readonly end: CallEnd;
  readonly hold: string | null;
  readonly record: LiveRecord | null;
}

type Columns = Pick<
  OmniCallRow,
  'duration_ms' | 'transcript' | 'transcript_bytes' | 'said' | 'turns' | 'tools' | 'withheld'
>;

/** A session's record is opened when the session starts, and written once when it ends, for whatever reason. */
export class CallStore implements CallParts {
  readonly #options: CallStoreOptions;
  readonly #live = new Map<string, LiveRecord>();
  readonly #lost = new Map<string, { readonly columns: Columns; readonly costs: readonly ProviderCost[] }>();
  readonly #abandoned = new Set<string>();
  #settled: (() => void)[] = [];
  #sweeping: RepeatingTask | null = null;

  constructor(options: CallStoreOptions) {
    this.#options = options;
  }

  async open(
    start: CallStart,
    soFar: () => CallSnapshot | null = () => null,
  ): Promise<HeldCheckpoint | null> {
    const { storage, clock, checkpoints } = this.#options;
    const now = clock.now();
    const { id, principal, partOf: callId = id } = start;
    const scope = tenantScopeOf(principal);
    const held = await storage.transaction(async (trx) => {
      if (start.partOf === undefined)
        await beginCall(trx, scope, {
          id,
          keyId: principal.keyId,
          kind: start.kind ?? 'browser',
          direction: 'inbound',
          state: { kind: 'answered', answeredAt: now },
          nodeId: storage.nodeId,
          createdAt: now,
        });
      await withinTenant(trx, scope)
        .insertInto('omni_calls', {
          id,
          call_id: callId,
          key_id: principal.keyId,
          use: callUseOf(principal),
          status: 'live',
          seen_at: SEEN_BY_LEASE,
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
          ...(start.usesVoiceUnderLoad ? { turns: JSON.stringify(VOICE_UNDER_LOAD_TURNS) } : {}),
        })
        .execute();
      return (await checkpoints?.begin(trx, scope, { id, callId, resumeKey: start.resumeKey })) ?? null;
    });
    this.#live.set(id, { callId, scope, agentId: start.agentId ?? null, snapshot: soFar, held });
    return held;
  }

  adopt({ state, ...held }: ClaimedCheckpoint, soFar: () => CallSnapshot | null): HeldCheckpoint {
    const { id, callId, scope } = held;
    this.#live.set(id, { callId, scope, agentId: state.agentId, snapshot: soFar, held });
    return held;
  }

  /** Stores the state of a disconnected caller. Without a resume in time, the session ends as `state` says. */
  async suspend(id: string, state: CallCheckpoint): Promise<void> {
    const { checkpoints, clock } = this.#options;
    const held = this.#live.get(id)?.held ?? null;
    if (held === null || checkpoints === undefined) return;
    try {
      if (await checkpoints.detach(held, state))
        clock.after(
          RESUME_WITHIN_MS + 1,
          () => void this.#endOverdue().catch((error) => this.#failed(error)),
        );
    } finally {
      this.forget(id);
    }
  }

  async giveBack(claimed: ClaimedCheckpoint): Promise<void> {
    this.adopt(claimed, () => null);
    await this.suspend(claimed.id, claimed.state);
  }

  /**
   * Resolves with true where this invocation wrote the record. A write that fails is repeated until it succeeds, and
   * the session counts as live until then.
   */
  async close(id: string, end: CallEnd, hold: string | null = null): Promise<boolean> {
    const record = this.#live.get(id) ?? null;
    const write = () => this.#write(id, { end, hold, record });
    const wrote = await retryWrite(this.#options.clock, write, (error, failures) => {
      const message = `The record of ${id} could not be written; it is retried until it is`;
      if (failures === 1) this.#failed(new Error(message, { cause: error }));
      return true;
    });
    this.forget(id);
    return wrote;
  }

  /** The next sweep writes a call that was opened but could not begin as failed. */
  abandon(id: string): void {
    if (!this.#live.has(id)) return;
    this.#abandoned.add(id);
    this.forget(id);
  }

  forget(id: string): void {
    this.#live.delete(id);
    this.#options.checkpoints?.letGo(id);
    if (this.#live.size === 0) for (const notify of this.#settled.splice(0)) notify();
  }

  /** The same transaction writes the usage event. */
  async #write(id: string, { end, hold, record }: EndedCall): Promise<boolean> {
    const { storage, billing, clock, events, checkpoints } = this.#options;
    const columns = await this.#columns(record, end);
    const held = record?.held ?? null;
    return await storage.transaction(async (transaction) => {
      if (held !== null && checkpoints !== undefined && !(await checkpoints.end(transaction, held)))
        return false;
      const row = await acrossTenants(transaction)
        .updateTable('omni_calls')
        .set({
          status: end.status,
          end_reason: end.endReason,
          error: end.status === 'failed' ? 'call_failed' : null,
          lost_at: null,
          language: end.language,
          voice_id: end.voiceId,
          voice_tier: end.voiceTier,
          ...columns,
        })
        .where('id', '=', id)
        .where(({ eb, or }) => or([eb('status', '=', 'live'), eb('lost_at', 'is not', null)]))
        .returning(['call_id', 'org_id', 'project_id', 'key_id', 'environment', 'use', 'started_at'])
        .executeTakeFirst();
      if (row === undefined) return false;
      await billing.recordUsage(
        transaction,
        usageEventOf(row, {
          id: usageIdOf(id),
          use: row.use ?? 'omni.call',
          milliseconds: end.billedMs,
          resource: id,
          occurredAt: row.started_at,
          reservationId: hold,
        }),
      );
      // A session that was taken for lost has the costs of its checkpoint, which are a part of these.
      await forgetProviderCosts(transaction, tenantScopeOfRow(row), [id]);
      await insertProviderCosts(transaction, row, id, row.started_at, end.providerCosts ?? []);
      await endCallIfOver(transaction, tenantScopeOfRow(row), row.call_id, clock.now());
      await events?.publish(transaction, SessionEnded, { id, ...row });
      return true;
    });
  }

  async #columns(
    owner: RecordOwner | null,
    { durationMs, transcript, turns, tools = [], withheld = [] }: CallSnapshot,
  ): Promise<Columns> {
    const { redact } = this.#options;
    const keep = async (talks: readonly RedactionUnit[]) => {
      let redacted = talks;
      if (owner === null || redact === undefined) return redacted;
      for (const agentId of agentsOf(owner.agentId, turns))
        redacted = await redact(owner.scope, agentId, redacted);
      return redacted;
    };
    const [words = [], unsaid = []] = await keep([transcript, withheld]);
    const text = JSON.stringify(words);
    return {
      duration_ms: durationMs,
      transcript: text,
      transcript_bytes: Buffer.byteLength(text),
      said: searchTextOf(words),
      turns: JSON.stringify(turns),
      withheld: unsaid.length === 0 ? null : JSON.stringify(unsaid),
      tools: tools.length === 0 ? null : JSON.stringify(await redactToolCalls(tools, keep)),
    };
  }

  async list(
    scope: TenantScope,
    query: PageQuery & OmniCallFilter,
    start: PageEnd | null,
  ): Promise<CallListRow[]> {
    const select = withinTenant(this.#options.storage.db, scope)
      .selectFrom('omni_calls')
      .select(LIST_COLUMNS)
      .where('status', '!=', 'live');
    return await newestFirst(applyCallFilter(select, query), query, start).execute();
  }

  async find(scope: TenantScope, id: string): Promise<OmniCallRow | null> {
    const row = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('omni_calls')
      .selectAll()
      .where('id', '=', id)
      .where('status', '!=', 'live')
      .executeTakeFirst();
    return row ?? null;
  }

  async delete(scope: TenantScope, id: string): Promise<boolean> {
    const { storage, blobs } = this.#options;
    await requireNoLegalHoldOn(storage.db, scope, id);
    const call = await this.find(scope, id);
    if (call === null) return false;
    const row = withinTenant(storage.db, scope).deleteFrom('omni_calls').where('id', '=', id);
    const { numDeletedRows } = await removeTranscript(blobs, id, () => row.executeTakeFirst());
    await forgetCallIfEmpty(storage.db, scope, call.call_id);
    await storage.scrub();
    return numDeletedRows > 0n;
  }

  async sweep(): Promise<void> {
    const { storage } = this.#options;
    await this.#endAbandoned();
    const calls: [string, Columns][] = [];
    await this.#endOverdue();
    for (const [id, record] of this.#live) {
      const call = record.snapshot();
      if (call !== null) calls.push([id, await this.#columns(record, call)]);
    }
    await storage.transaction(async (transaction) => {
      for (const [id, columns] of calls) {
        await acrossTenants(transaction)
          .updateTable('omni_calls')
          .set(columns)
          .where('id', '=', id)
          .where('status', '=', 'live')
          .execute();
      }
    });
  }

  /** Ends and bills the sessions whose callers did not reconnect in time. */
  async #endOverdue(): Promise<void> {
    for (const { state, ...held } of (await this.#options.checkpoints?.overdue()) ?? []) {
      const record: LiveRecord = {
        callId: held.callId,
        scope: held.scope,
        agentId: state.agentId,
        snapshot: () => null,
        held,
      };
      await this.#write(held.id, { end: endOfCheckpoint(state), hold: state.reservationId, record }).catch(
        (error: unknown) => this.#failed(error),
      );
    }
  }

  #failed(error: unknown): void {
    this.#options.onError?.(error);
  }

  async beforeLoss(call: LostCall): Promise<void> {
    const { storage, checkpoints } = this.#options;
    if (checkpoints === undefined) return;
    const rows = await withinTenant(storage.db, call.scope)
      .selectFrom('omni_calls')
      .select('id')
      .where('call_id', '=', call.id)
      .where('status', '=', 'live')
      .execute();
    for (const { id } of rows) {
      const state = await checkpoints.stateOf(id);
      if (state === null) continue;
      const end = endOfCheckpoint(state);
      const columns = await this.#columns({ scope: call.scope, agentId: state.agentId }, end);
      this.#lost.set(id, { columns, costs: end.providerCosts ?? [] });
    }
  }

  live = (): string[] => [...this.#live.values()].map(({ callId }) => callId);

  /** Writes the sessions of a lost call as failed, with the last known state and its costs, and bills nothing. */
  async endLost(trx: Trx, call: LostCall): Promise<void> {
    const rows = await withinTenant(trx, call.scope)
      .updateTable('omni_calls')
      .set({ ...FAILED, lost_at: call.at })
      .where('call_id', '=', call.id)
      .where('status', '=', 'live')
      .returning(['id', 'org_id', 'project_id', 'environment', 'started_at'])
      .execute();
    for (const { started_at: startedAt, ...row } of rows) {
      const known = this.#lost.get(row.id);
      if (known !== undefined) {
        await withinTenant(trx, call.scope)
          .updateTable('omni_calls')
          .set(known.columns)
          .where('id', '=', row.id)
          .execute();
        await insertProviderCosts(trx, row, row.id, startedAt, known.costs);
      }
      await this.#options.events?.publish(trx, SessionEnded, row);
    }
    await this.#options.checkpoints?.forget(trx, call.scope, call.id);
  }

  afterLoss(): void {
    this.#lost.clear();
  }

  async reclaim(trx: Trx, scope: TenantScope, callId: string): Promise<void> {
    const rows = await withinTenant(trx, scope)
      .updateTable('omni_calls')
      .set({ status: 'live', error: null, end_reason: null, lost_at: null })
      .where('call_id', '=', callId)
      .where('lost_at', 'is not', null)
      .returning('id')
      .execute();
    await forgetProviderCosts(
      trx,
      scope,
      rows.map(({ id }) => id),
    );
  }

  async #endAbandoned(): Promise<void> {
    const { storage, clock, events } = this.#options;
    for (const id of [...this.#abandoned]) {
      await storage.transaction(async (trx) => {
        const row = await acrossTenants(trx)
          .updateTable('omni_calls')
          .set(FAILED)
          .where('id', '=', id)
          .where('status', '=', 'live')
          .returning(['id', 'call_id', 'org_id', 'project_id', 'environment'])
          .executeTakeFirst();
        if (row === undefined) return;
        await endCallIfOver(trx, tenantScopeOfRow(row), row.call_id, clock.now());
        await events?.publish(trx, SessionEnded, row);
      });
      this.#abandoned.delete(id);
    }
  }

  start(): void {
    const times = { everyMs: PROGRESS_EVERY_MS, firstMs: 0 };
    this.#sweeping = this.#options.background.repeat('progress of calls', () => this.sweep(), times);
  }

  /** Waits until every call has ended and is written; calls may go on for `deadlineMs`. */
  async stop(deadlineMs = 0): Promise<void> {
    if (this.#live.size > 0) {
      let stop = (): void => undefined;
      await new Promise<void>((resolve) => {
        this.#settled.push(resolve);
        stop = this.#options.clock.after(deadlineMs + FINAL_WRITES_TIMEOUT_MS, resolve);
      });
      stop();
    }
    await this.#sweeping?.stop();
  }
}

/** The strictest policy of the agents that had the call applies to all of it. */
export const agentsOf = (agentId: string | null, turns: object): ReadonlySet<string | null> => {
  const { agents = [] } = turns as { readonly agents?: readonly { readonly agent_id: string }[] };
  return new Set([agentId, ...agents.map(({ agent_id }) => agent_id)]);
};
