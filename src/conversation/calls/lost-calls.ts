import { sql, type Transaction } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { CallOwner } from '../../foundation/nodes/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import {
  acrossTenants,
  adoptingStatements,
  isOwnerGone,
  type Storage,
  type Tables,
} from '../../foundation/storage/index.ts';
import { advanceCall, endCallIfOver } from './call-records.ts';

type Trx = Transaction<Tables>;

export interface LostCall {
  readonly id: string;
  readonly scope: TenantScope;
  readonly at: number;
  readonly seenAt: number;
}

/** A store of legs or sessions ends its parts of a lost call, and restores them where the node lives. */
export interface CallParts {
  live(): readonly string[];
  beforeLoss?(call: LostCall): Promise<void>;
  afterLoss?(): void;
  endLost(trx: Trx, call: LostCall): Promise<void>;
  reclaim(trx: Trx, scope: TenantScope, callId: string): Promise<void>;
}

/**
 * Returns what the transaction writes that ends a lost call, or null for a call that just ends. The write resolves
 * with true where the call waits for its caller instead.
 */
export type CallBack = (call: LostCall) => Promise<((trx: Trx) => Promise<boolean>) | null>;

/** A node of a version without leases updates its calls more often than this. */
const UNLEASED_LOST_AFTER_MS = 60_000;
const AT_ONCE = 500;
const PARTS = ['telephony_calls', 'msgapp_calls', 'omni_calls', 'amd_calls'] as const;

/** One transaction ends or restores a lost call together with all of its parts. */
export class LostCalls implements CallOwner {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #parts: CallParts[] = [];
  #callBack: CallBack = async () => null;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  add(parts: CallParts): void {
    this.#parts.push(parts);
  }

  /** Callers of lost calls are called back where `callBack` says so. */
  callsBackBy(callBack: CallBack): void {
    this.#callBack = callBack;
  }

  async liveByNode(): Promise<ReadonlyMap<string, number>> {
    const rows = await acrossTenants(this.#storage.db)
      .selectFrom('calls')
      .select(['node_id'])
      .select((eb) => eb.fn.countAll<number>().as('calls'))
      .where('state', '<>', 'ended')
      .where('node_id', 'is not', null)
      .groupBy('node_id')
      .execute();
    return new Map(rows.map(({ node_id, calls }) => [node_id as string, Number(calls)]));
  }

  /** Ends the calls of lost nodes. Their duration is unknown, so nothing is billed. */
  async endLost(): Promise<number> {
    await this.#adopt();
    await this.#endOver();
    const now = this.#clock.now();
    const rows = await acrossTenants(this.#storage.db)
      .selectFrom('calls')
      .leftJoin('nodes', 'nodes.id', 'calls.node_id')
      .select(['calls.id', 'calls.org_id', 'calls.project_id', 'calls.environment', 'calls.created_at'])
      .select('nodes.seen_at')
      .where('calls.state', '<>', 'ended')
      .where(isOwnerGone())
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) {
      const seenAt = Math.max(Number(row.created_at), Number(row.seen_at ?? 0));
      const call = { id: row.id, scope: tenantScopeOfRow(row), at: now, seenAt };
      for (const parts of this.#parts) await parts.beforeLoss?.(call);
      const wait = await this.#callBack(call);
      await this.#storage.transaction(async (trx) => {
        if (wait === null || !(await wait(trx))) await this.#end(trx, call);
      });
      for (const parts of this.#parts) parts.afterLoss?.();
    }
    return rows.length;
  }

  async #end(trx: Trx, call: LostCall): Promise<void> {
    const { id, scope, at, seenAt } = call;
    if (!(await advanceCall(trx, scope, id, { kind: 'lost', at, seenAt }))) return;
    for (const parts of this.#parts) await parts.endLost(trx, call);
  }

  /** Restores the calls of this node that another node ended as lost; they are billed when they end. */
  async takeBack(): Promise<void> {
    const ids = [...new Set(this.#parts.flatMap((parts) => parts.live()))];
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const lost = await acrossTenants(this.#storage.db)
        .selectFrom('calls')
        .select(['id', 'org_id', 'project_id', 'environment'])
        .where('id', 'in', ids.slice(from, from + AT_ONCE))
        .where('lost_at', 'is not', null)
        .execute();
      for (const row of lost)
        await this.#storage.transaction((trx) => this.#reclaim(trx, tenantScopeOfRow(row), row.id));
    }
  }

  async #reclaim(trx: Trx, scope: TenantScope, callId: string): Promise<void> {
    if (!(await advanceCall(trx, scope, callId, { kind: 'reclaimed' }))) return;
    for (const parts of this.#parts) await parts.reclaim(trx, scope, callId);
  }

  /** Creates calls for the rows that nodes of the previous version write during a rolling upgrade. */
  async #adopt(): Promise<void> {
    const db = acrossTenants(this.#storage.db);
    for (const part of PARTS) {
      const orphan = await db
        .selectFrom(part)
        .select('id')
        .where('call_id', 'is', null)
        .limit(1)
        .executeTakeFirst();
      if (orphan === undefined) continue;
      await this.#storage.transaction(async (trx) => {
        const staleBefore = this.#clock.now() - UNLEASED_LOST_AFTER_MS;
        for (const statement of adoptingStatements(staleBefore)) await sql.raw(statement).execute(trx);
      });
      return;
    }
  }
  /** Ends calls without live parts, because nodes of the previous version end only legs and sessions. */
  async #endOver(): Promise<void> {
    const rows = await acrossTenants(this.#storage.db)
      .selectFrom('calls')
      .select(['id', 'org_id', 'project_id', 'environment'])
      .where('state', '<>', 'ended')
      .where('kind', '<>', 'amd')
      .where(({ not, or, exists, selectFrom }) => {
        const leg = (table: 'telephony_calls' | 'msgapp_calls') =>
          selectFrom(table)
            .select(`${table}.id`)
            .whereRef('call_id', '=', 'calls.id')
            .where(`${table}.state`, '<>', 'ended');
        const session = selectFrom('omni_calls')
          .select('omni_calls.id')
          .whereRef('call_id', '=', 'calls.id')
          .where('status', '=', 'live');
        return not(or([exists(leg('telephony_calls')), exists(leg('msgapp_calls')), exists(session)]));
      })
      .limit(AT_ONCE)
      .execute();
    const now = this.#clock.now();
    for (const row of rows)
      await this.#storage.transaction((trx) => endCallIfOver(trx, tenantScopeOfRow(row), row.id, now));
  }
}
