import type { SelectQueryBuilder } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { UsageEventCosts } from '../../foundation/billing/index.ts';
import { isId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { type EveryTable, newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { AmdCallRow } from '../../foundation/storage/tables/amd.ts';
import type { CallRow } from '../../foundation/storage/tables/calls.ts';
import type { NodeRow } from '../../foundation/storage/tables/nodes.ts';
import type { OmniCallRow } from '../../foundation/storage/tables/omni.ts';
import type { CallRecordingRow } from '../../foundation/storage/tables/recordings.ts';
import { usageIdOf } from './call-records.ts';

export interface CallRecordFilter {
  readonly kind?: CallRow['kind'] | undefined;
  readonly state?: CallRow['state'] | undefined;
  readonly direction?: CallRow['direction'] | undefined;
  readonly agent_id?: string | undefined;
  readonly session_label?: string | undefined;
  readonly external_id?: string | undefined;
  readonly phone_number?: string | undefined;
  /** Both ends of the period are inclusive, in Unix milliseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface CallLeg {
  readonly id: string;
  readonly carrier: string;
  readonly direction: CallRow['direction'];
  readonly from_number: string;
  readonly to_number: string;
  readonly agent_id: string | null;
  readonly state: CallRow['state'];
  readonly end_reason: string | null;
  readonly end_detail: string | null;
  readonly answered_by: string | null;
  readonly created_at: number;
  readonly answered_at: number | null;
  readonly ended_at: number | null;
}

const SESSION_COLUMNS = [
  'id',
  'call_id',
  'status',
  'agent_id',
  'agent_version',
  'session_label',
  'external_id',
  'language',
  'voice_id',
  'voice_tier',
  'started_at',
  'duration_ms',
  'end_reason',
  'turns',
] as const satisfies readonly (keyof OmniCallRow)[];
export type CallSessionRow = Pick<OmniCallRow, (typeof SESSION_COLUMNS)[number]>;

const DETECTION_COLUMNS = [
  'id',
  'call_id',
  'answered_by',
  'verdict',
  'message_end',
  'corrected_to',
  'created_at',
] as const satisfies readonly (keyof AmdCallRow)[];
export type CallDetectionRow = Pick<AmdCallRow, (typeof DETECTION_COLUMNS)[number]>;

export interface WholeCall {
  readonly call: CallRow;
  readonly legs: readonly CallLeg[];
  readonly sessions: readonly CallSessionRow[];
  readonly detections: readonly CallDetectionRow[];
  readonly recordings: readonly CallRecordingRow[];
  readonly cost: { readonly micros: number; readonly meters: Readonly<Record<string, number>> };
  /** The owner is the node with the lease on a live call; null where the call has ended or was not dialed yet. */
  readonly owner: NodeRow | null;
}

const TELEPHONY_LEG_COLUMNS = [
  'id',
  'call_id',
  'carrier',
  'direction',
  'from_number',
  'to_number',
  'agent_id',
  'state',
  'end_reason',
  'end_detail',
  'answered_by',
  'created_at',
  'answered_at',
  'ended_at',
] as const;
const MSGAPP_LEG_COLUMNS = [
  'id',
  'call_id',
  'direction',
  'from_number',
  'to_number',
  'agent_id',
  'state',
  'end_reason',
  'error as end_detail',
  'created_at',
  'answered_at',
  'ended_at',
] as const;

export class CallReader {
  readonly #storage: Storage;
  readonly #costs: Pick<UsageEventCosts, 'each'>;

  constructor(storage: Storage, costs: Pick<UsageEventCosts, 'each'>) {
    this.#storage = storage;
    this.#costs = costs;
  }

  async list(
    scope: TenantScope,
    query: PageQuery & CallRecordFilter,
    start: PageEnd | null,
  ): Promise<WholeCall[]> {
    const calls = filtered(withinTenant(this.#storage.db, scope).selectFrom('calls').selectAll(), query);
    return await this.#whole(scope, await newestFirst(calls, query, start).execute());
  }

  async find(scope: TenantScope, id: string): Promise<WholeCall | null> {
    const mine = withinTenant(this.#storage.db, scope);
    const callId = await this.#callIdOf(scope, id);
    const call = await mine.selectFrom('calls').selectAll().where('id', '=', callId).executeTakeFirst();
    return call === undefined ? null : ((await this.#whole(scope, [call]))[0] ?? null);
  }

  async #callIdOf(scope: TenantScope, id: string): Promise<string> {
    for (const [prefix, table] of [
      ['ocl', 'omni_calls'],
      ['tcl', 'telephony_calls'],
      ['wcall', 'msgapp_calls'],
      ['amd', 'amd_calls'],
    ] as const) {
      if (!isId(prefix, id)) continue;
      const part = withinTenant(this.#storage.db, scope)
        .selectFrom(table)
        .select('call_id')
        .where('id', '=', id);
      return (await part.executeTakeFirst())?.call_id ?? id;
    }
    return id;
  }

  async #whole(scope: TenantScope, calls: readonly CallRow[]): Promise<WholeCall[]> {
    if (calls.length === 0) return [];
    const ids = calls.map(({ id }) => id);
    const mine = withinTenant(this.#storage.db, scope);
    const phones = mine.selectFrom('telephony_calls').select(TELEPHONY_LEG_COLUMNS);
    const apps = mine.selectFrom('msgapp_calls').select(MSGAPP_LEG_COLUMNS);
    const legs = byCall([
      ...(await phones.where('call_id', 'in', ids).orderBy('created_at').orderBy('id').execute()),
      ...(await apps.where('call_id', 'in', ids).orderBy('created_at').orderBy('id').execute()).map(
        (row) => ({
          ...row,
          carrier: 'msgapp',
          answered_by: null,
        }),
      ),
    ]);
    const sessionRows = await mine
      .selectFrom('omni_calls')
      .select(SESSION_COLUMNS)
      .where('call_id', 'in', ids)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const sessions = byCall(sessionRows);
    const detections = byCall(
      await mine
        .selectFrom('amd_calls')
        .select(DETECTION_COLUMNS)
        .where('call_id', 'in', ids)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    );
    const recordings = await this.#recordingsOf(scope, sessionRows);
    const nodes = await this.#nodesOf(calls);
    const partsOf = (id: string) => [
      ...(legs.get(id) ?? []),
      ...(sessions.get(id) ?? []),
      ...(detections.get(id) ?? []),
    ];
    const used = calls.flatMap(({ id }) => partsOf(id).map((part) => usageIdOf(part.id)));
    const costs = await this.#costs.each(used);
    return calls.map((call) => {
      const meters: Record<string, number> = {};
      for (const part of partsOf(call.id)) {
        const cost = costs.get(usageIdOf(part.id));
        // A detection within a billed call costs nothing more.
        if (cost !== undefined && cost.micros > 0n)
          meters[cost.meter] = (meters[cost.meter] ?? 0) + Number(cost.micros);
      }
      return {
        call,
        legs: legs.get(call.id) ?? [],
        sessions: sessions.get(call.id) ?? [],
        detections: detections.get(call.id) ?? [],
        recordings: (sessions.get(call.id) ?? []).flatMap(({ id }) => recordings.get(id) ?? []),
        cost: { micros: Object.values(meters).reduce((sum, one) => sum + one, 0), meters },
        owner: (call.state !== 'ended' && nodes.get(call.node_id ?? '')) || null,
      };
    });
  }

  async #recordingsOf(
    scope: TenantScope,
    sessions: readonly CallSessionRow[],
  ): Promise<ReadonlyMap<string, CallRecordingRow>> {
    if (sessions.length === 0) return new Map();
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('call_recordings')
      .selectAll()
      .where(
        'id',
        'in',
        sessions.map(({ id }) => id),
      )
      .execute();
    return new Map(rows.map((row) => [row.id, row]));
  }

  async #nodesOf(calls: readonly CallRow[]): Promise<ReadonlyMap<string, NodeRow>> {
    const ids = calls.flatMap(({ state, node_id }) =>
      state === 'ended' || node_id === null ? [] : [node_id],
    );
    if (ids.length === 0) return new Map();
    const rows = await this.#storage.db.selectFrom('nodes').selectAll().where('id', 'in', ids).execute();
    return new Map(rows.map((row) => [row.id, row]));
  }
}

function byCall<Part extends { readonly call_id: string | null }>(
  parts: readonly Part[],
): Map<string, Part[]> {
  const found = new Map<string, Part[]>();
  for (const part of parts) {
    const callId = part.call_id ?? '';
    const before = found.get(callId);
    if (before === undefined) found.set(callId, [part]);
    else before.push(part);
  }
  return found;
}

type Calls<O> = SelectQueryBuilder<EveryTable, 'calls', O>;

const LEGS = ['telephony_calls', 'msgapp_calls'] as const;

function filtered<O>(calls: Calls<O>, filter: CallRecordFilter): Calls<O> {
  const { kind, state, direction, agent_id, session_label, external_id, phone_number, from, to } = filter;
  let found = calls;
  if (kind !== undefined) found = found.where('kind', '=', kind);
  if (state !== undefined) found = found.where('state', '=', state);
  if (direction !== undefined) found = found.where('direction', '=', direction);
  if (from !== undefined) found = found.where('created_at', '>=', from);
  if (to !== undefined) found = found.where('created_at', '<=', to);
  for (const [column, value] of Object.entries({ session_label, external_id })) {
    if (value !== undefined)
      found = found.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('omni_calls')
            .select('omni_calls.id')
            .whereRef('call_id', '=', 'calls.id')
            .where(column as 'external_id', '=', value),
        ),
      );
  }
  if (agent_id !== undefined)
    found = found.where(({ or, exists, selectFrom }) =>
      or(
        ([...LEGS, 'omni_calls'] as const).map((table) =>
          exists(
            selectFrom(table)
              .select(`${table}.id`)
              .whereRef('call_id', '=', 'calls.id')
              .where(`${table}.agent_id`, '=', agent_id),
          ),
        ),
      ),
    );
  if (phone_number !== undefined)
    found = found.where(({ or, exists, selectFrom }) =>
      or(
        LEGS.map((table) =>
          exists(
            selectFrom(table)
              .select(`${table}.id`)
              .whereRef('call_id', '=', 'calls.id')
              .where((leg) =>
                leg.or([leg('from_number', '=', phone_number), leg('to_number', '=', phone_number)]),
              ),
          ),
        ),
      ),
    );
  return found;
}
