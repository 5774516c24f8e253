import { createHash, randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { type Sealer, tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import {
  acrossTenants,
  isOwnerGone,
  type Storage,
  type Tables,
  withinTenant,
} from '../../foundation/storage/index.ts';
import type { CallCheckpointRow } from '../../foundation/storage/tables/calls.ts';
import type { CallCheckpoint } from './call-checkpoint.ts';

type Trx = Transaction<Tables>;

/** A client can resume its call this long after its connection broke. */
export const RESUME_WITHIN_MS = 30_000;
/** A node that listens, but does not answer a detach request within this time, counts as lost: it hangs. */
const DETACH_TIMEOUT_MS = 300;
const DETACH = 'call-detach';
const DETACHED = 'call-detached';

/** The fencing token of a held checkpoint proves that this node owns the session. */
export interface HeldCheckpoint {
  readonly id: string;
  readonly callId: string;
  readonly scope: TenantScope;
  readonly token: string;
  readonly fence: number;
}

export interface ClaimedCheckpoint extends HeldCheckpoint {
  readonly state: CallCheckpoint;
}

export interface CallCheckpointsOptions {
  readonly storage: Storage;
  /** All nodes share this clock. */
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly onError?: (error: unknown) => void;
}

export interface BegunCheckpoint extends Pick<HeldCheckpoint, 'id' | 'callId'> {
  readonly resumeKey?: string | undefined;
}

/** The scope is part of the token, so that no tenant can occupy or claim the call of another. */
const tokenOf = ({ org, project, environment }: TenantScope, resumeKey: string): string =>
  ['carrier', org, project, environment, resumeKey].join(' ');

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export const notResumable = (): ApiError =>
  new ApiError(
    'call_not_live',
    'The call cannot be resumed: it has ended, or its token has expired (30 s).',
    {
      param: 'resume',
    },
  );

export class CallCheckpoints {
  readonly #options: CallCheckpointsOptions;
  readonly #holders = new Map<string, () => Promise<void>>();
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #stop: readonly (() => void)[];

  constructor(options: CallCheckpointsOptions) {
    this.#options = options;
    const { storage, onError } = options;
    this.#stop = [
      storage.listen(DETACH, { onMessage: (id) => void this.#detach(id).catch((error) => onError?.(error)) }),
      storage.listen(DETACHED, {
        onMessage: (id) => {
          for (const go of this.#waiting.get(id) ?? []) go();
        },
      }),
    ];
  }

  stop(): void {
    for (const stop of this.#stop) stop();
  }

  /**
   * Returns null where another live session of the tenant has the same `resumeKey`: this one is not resumable then.
   */
  async begin(
    trx: Trx,
    scope: TenantScope,
    { id, callId, resumeKey }: BegunCheckpoint,
  ): Promise<HeldCheckpoint | null> {
    const { storage, clock } = this.#options;
    const token =
      resumeKey === undefined ? `rsm_${randomBytes(24).toString('base64url')}` : tokenOf(scope, resumeKey);
    const { numInsertedOrUpdatedRows: inserted } = await withinTenant(trx, scope)
      .insertInto('call_checkpoints', {
        id,
        call_id: callId,
        token_hash: hashOf(token),
        node_id: storage.nodeId,
        fence: 1,
        resume_by: null,
        state: null,
        written_at: clock.now(),
      })
      .onConflict((conflict) => conflict.column('token_hash').doNothing())
      .executeTakeFirstOrThrow();
    return inserted === 0n ? null : { id, callId, scope, token, fence: 1 };
  }

  /**
   * Registers `detach`, which writes the latest state and ends the session here when its client has reconnected
   * elsewhere.
   */
  hold(id: string, detach: () => Promise<void>): void {
    this.#holders.set(id, detach);
  }

  letGo(id: string): void {
    this.#holders.delete(id);
  }

  /** Returns false where another node owns the session now. */
  async write(held: HeldCheckpoint, state: CallCheckpoint): Promise<boolean> {
    const { db } = this.#options.storage;
    if (await this.#update(db, held, { state: this.#sealed(held.id, state) })) return true;
    // The sweep ended the session as lost although this node lives: the session goes on, and no node can claim it.
    return !(await this.#exists(db, held));
  }

  /**
   * Stores the state of a disconnected caller, who can resume with the token until the time limit. Returns false
   * where another node owns the session.
   */
  async detach(held: HeldCheckpoint, state: CallCheckpoint): Promise<boolean> {
    const { storage, clock } = this.#options;
    const sealed = this.#sealed(held.id, state);
    const resume_by = clock.now() + RESUME_WITHIN_MS;
    return await storage.transaction(async (trx) => {
      if (!(await this.#update(trx, held, { state: sealed, resume_by }))) return false;
      // A call that waits for its caller belongs to no node, so the loss of this node does not end it.
      await withinTenant(trx, held.scope)
        .updateTable('calls')
        .set({ node_id: null })
        .where('id', '=', held.callId)
        .execute();
      return true;
    });
  }

  /**
   * Claims the token's session for this node. Throws ApiError where it cannot be resumed, or where `agentId` is given
   * and another agent served the call.
   */
  async claim(scope: TenantScope, token: string, agentId: string | null = null): Promise<ClaimedCheckpoint> {
    const { storage } = this.#options;
    const found = await this.#find(storage.db, scope, token);
    if (agentId !== null && this.#opened(found).shares[0]?.agentId !== agentId) throw notResumable();
    if (found.resume_by === null) await this.#askToDetach(found);
    const { row, fence } = await storage.transaction(async (trx) => {
      const row = await this.#find(trx, scope, token);
      return { row, fence: await this.#own(trx, scope, row) };
    });
    return { id: row.id, callId: row.call_id, scope, token, fence, state: this.#opened(row) };
  }

  /**
   * Suspends the sessions of a lost call for a caller who is called back. The node that had them is fenced off: if it
   * was only frozen, it ends them. Returns `handled` where another node was first.
   */
  async suspendLost(
    trx: Trx,
    scope: TenantScope,
    callId: string,
    resume_by: number,
  ): Promise<'suspended' | 'handled' | 'absent'> {
    const mine = withinTenant(trx, scope);
    const call = await mine
      .updateTable('calls')
      .set({ node_id: null })
      .where('id', '=', callId)
      .where('state', '<>', 'ended')
      .where(isOwnerGone())
      .executeTakeFirstOrThrow();
    if (call.numUpdatedRows === 0n) return 'handled';
    const sessions = await mine
      .updateTable('call_checkpoints')
      .set((eb) => ({ resume_by, fence: eb('fence', '+', 1) }))
      .where('call_id', '=', callId)
      .where('state', 'is not', null)
      .executeTakeFirstOrThrow();
    return sessions.numUpdatedRows === 0n ? 'absent' : 'suspended';
  }

  /** Reports whether a suspended session can still be claimed after so many milliseconds. */
  async isSuspended(scope: TenantScope, id: string, ms = 0): Promise<boolean> {
    return (await this.#suspended(this.#options.storage.db, scope, id, ms)) !== null;
  }

  /** Claims a suspended session for this node. Returns null where it has ended. */
  async claimSuspended(scope: TenantScope, id: string): Promise<ClaimedCheckpoint | null> {
    return await this.#options.storage.transaction(async (trx) => {
      const row = await this.#suspended(trx, scope, id, 0);
      if (row === null) return null;
      const fence = await this.#own(trx, scope, row);
      return { id, callId: row.call_id, scope, token: '', fence, state: this.#opened(row) };
    });
  }

  /** Claims the session that began with `resumeKey`. Returns null where none can be resumed. */
  async claimByKey(scope: TenantScope, resumeKey: string): Promise<ClaimedCheckpoint | null> {
    try {
      return await this.claim(scope, tokenOf(scope, resumeKey));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'call_not_live') return null;
      throw error;
    }
  }

  /** Returns null where no state was written or it cannot be decrypted. */
  async stateOf(id: string): Promise<CallCheckpoint | null> {
    const row = await acrossTenants(this.#options.storage.db)
      .selectFrom('call_checkpoints')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row === undefined || row.state === null ? null : this.#opened(row);
  }

  async overdue(): Promise<ClaimedCheckpoint[]> {
    const { storage, clock } = this.#options;
    const rows = await acrossTenants(storage.db)
      .selectFrom('call_checkpoints')
      .selectAll()
      .where('resume_by', '<', clock.now())
      .limit(100)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      callId: row.call_id,
      scope: tenantScopeOfRow(row),
      token: '',
      fence: Number(row.fence),
      state: this.#opened(row),
    }));
  }

  /** It runs in the transaction that ends the session. Returns false where another node owns it. */
  async end(trx: Trx, held: HeldCheckpoint): Promise<boolean> {
    const mine = withinTenant(trx, held.scope);
    const { numDeletedRows } = await mine
      .deleteFrom('call_checkpoints')
      .where('id', '=', held.id)
      .where('fence', '=', held.fence)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n || !(await this.#exists(trx, held));
  }

  async forget(trx: Trx, scope: TenantScope, callId: string): Promise<void> {
    await withinTenant(trx, scope).deleteFrom('call_checkpoints').where('call_id', '=', callId).execute();
  }

  async #own(trx: Trx, scope: TenantScope, row: CallCheckpointRow): Promise<number> {
    const { nodeId: node_id } = this.#options.storage;
    const fence = Number(row.fence) + 1;
    await withinTenant(trx, scope)
      .updateTable('call_checkpoints')
      .set({ node_id, fence, resume_by: null })
      .where('id', '=', row.id)
      .execute();
    await withinTenant(trx, scope)
      .updateTable('calls')
      .set({ node_id })
      .where('id', '=', row.call_id)
      .execute();
    return fence;
  }

  async #suspended(
    db: Trx | Storage['db'],
    scope: TenantScope,
    id: string,
    ms: number,
  ): Promise<CallCheckpointRow | null> {
    const row = await withinTenant(db, scope)
      .selectFrom('call_checkpoints')
      .selectAll()
      .where('id', '=', id)
      .where('state', 'is not', null)
      .where('resume_by', '>=', this.#options.clock.now() + ms)
      .executeTakeFirst();
    return row ?? null;
  }

  async #exists(db: Trx | Storage['db'], { scope, id }: HeldCheckpoint): Promise<boolean> {
    const rows = withinTenant(db, scope).selectFrom('call_checkpoints').select('id').where('id', '=', id);
    return (await rows.executeTakeFirst()) !== undefined;
  }

  async #find(db: Trx | Storage['db'], scope: TenantScope, token: string): Promise<CallCheckpointRow> {
    const row = await withinTenant(db, scope)
      .selectFrom('call_checkpoints')
      .selectAll()
      .where('token_hash', '=', hashOf(token))
      .executeTakeFirst();
    const isOver = row?.resume_by != null && Number(row.resume_by) < this.#options.clock.now();
    if (row === undefined || row.state === null || isOver) throw notResumable();
    return row;
  }

  async #update(
    db: Trx | Storage['db'],
    held: HeldCheckpoint,
    set: Partial<CallCheckpointRow>,
  ): Promise<boolean> {
    const { numUpdatedRows } = await withinTenant(db, held.scope)
      .updateTable('call_checkpoints')
      .set({ ...set, written_at: this.#options.clock.now() })
      .where('id', '=', held.id)
      .where('fence', '=', held.fence)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }

  async #askToDetach({ id, node_id }: CallCheckpointRow): Promise<void> {
    const { storage, clock } = this.#options;
    if (this.#holders.has(id)) return await this.#detach(id);
    if (node_id === storage.nodeId) return;
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting);
    let stop = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      waiting.add(resolve);
      stop = clock.after(DETACH_TIMEOUT_MS, resolve);
    });
    try {
      await storage.notify(DETACH, id);
      if (await storage.isListening(node_id)) await done;
    } finally {
      stop();
      this.#waiting.delete(id);
    }
  }

  async #detach(id: string): Promise<void> {
    const detach = this.#holders.get(id);
    if (detach === undefined) return;
    await detach();
    await this.#options.storage.notify(DETACHED, id);
  }

  #sealed = (id: string, state: CallCheckpoint): string =>
    this.#options.sealer.seal(JSON.stringify(state), id);

  #opened({ id, state }: CallCheckpointRow): CallCheckpoint {
    return JSON.parse(this.#options.sealer.open(state ?? '', id)) as CallCheckpoint;
  }
}
