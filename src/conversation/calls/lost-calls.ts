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

/** A call whose node is gone. */
export interface LostCall {
  readonly id: string;
  readonly scope: TenantScope;
  /** Its node was taken for lost then. */
  readonly at: number;
  /** It was last known to live then. */
  readonly seenAt: number;
}

/** A store of legs, or of sessions: ends what it has of a lost call, and takes it back where the node lives. */
export interface CallParts {
  /** The calls that live on this node. */
  live(): readonly string[];
  /** Reads what it needs before the transaction that ends them. */
  beforeLoss?(call: LostCall): Promise<void>;
  afterLoss?(): void;
  /** Ends the live parts of the call and marks them as lost. */
  endLost(trx: Trx, call: LostCall): Promise<void>;
  /** Makes the parts live again that were marked as lost. */
  reclaim(trx: Trx, scope: TenantScope, callId: string): Promise<void>;
}

/** A node of a version before the leases says this often enough that its call lives. */
const UNLEASED_LOST_AFTER_MS = 60_000;
const AT_ONCE = 500;
const PARTS = ['telephony_calls', 'msgapp_calls', 'omni_calls', 'amd_calls'] as const;

/** The one sweep of lost calls: a call ends with all of its parts, in one transaction, and is taken back with them. */
export class LostCalls implements CallOwner {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #parts: CallParts[] = [];

  /** `clock`: the one that all nodes go by. */
  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  add(parts: CallParts): void {
    this.#parts.push(parts);
  }

  /** Ends the calls of nodes that are gone: nobody knows how long they went on, so nothing is billed. */
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
      await this.#storage.transaction((trx) => this.#end(trx, call));
      for (const parts of this.#parts) parts.afterLoss?.();
    }
    return rows.length;
  }

  async #end(trx: Trx, call: LostCall): Promise<void> {
    const { id, scope, at, seenAt } = call;
    if (!(await advanceCall(trx, scope, id, { kind: 'lost', at, seenAt }))) return;
    for (const parts of this.#parts) await parts.endLost(trx, call);
  }

  /** The calls of this node that another node has ended as lost go on, and are billed when they end. */
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

  /** Makes calls of the rows that nodes of a version before write while the nodes are upgraded one by one. */
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
  /** Ends the calls of which nothing goes on any more: a node of a version before ends legs and sessions alone. */
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
