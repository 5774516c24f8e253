import type { TenantScope } from '../../foundation/access/contract.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../../foundation/audit/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { TraceResultRow } from '../../foundation/storage/tables/trace.ts';
import type { Outcome, Status } from './contract.ts';
import { type Move, type ResultView, resultView } from './views.ts';

export interface ResultFilter {
  readonly pack_id?: string | undefined;
  readonly rule_id?: string | undefined;
  readonly severity?: string | undefined;
  readonly status?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly interaction_id?: string | undefined;
}
const FILTERS = ['pack_id', 'rule_id', 'severity', 'status', 'agent_id', 'interaction_id'] as const;

/** The permitted transitions. A dismissed or remediated violation can be reopened. */
const NEXT: Readonly<Record<Status, readonly Status[]>> = {
  open: ['acknowledged', 'dismissed', 'remediated'],
  acknowledged: ['open', 'dismissed', 'remediated'],
  dismissed: ['open'],
  remediated: ['open'],
};

export const DIMENSIONS = {
  pack: 'pack_id',
  agent: 'agent_id',
  version: 'agent_version',
  day: 'day',
} as const;
export type Dimension = keyof typeof DIMENSIONS;

export interface ExposureRow {
  readonly pack_id?: string | null;
  readonly agent_id?: string | null;
  readonly agent_version?: string | null;
  readonly day?: string | null;
  readonly currency: string | null;
  readonly violations: number;
  readonly open: number;
  readonly least_micros: number;
  readonly most_micros: number;
}

/** Violations and findings, whatever interaction they are of. */
export class Results {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** One more than the page, newest first. */
  async list(
    scope: TenantScope,
    outcome: Outcome,
    filter: ResultFilter,
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<TraceResultRow[]> {
    let rows = withinTenant(this.#storage.db, scope)
      .selectFrom('trace_results')
      .selectAll()
      .where('outcome', '=', outcome);
    for (const name of FILTERS) {
      const value = filter[name];
      if (value !== undefined) rows = rows.where(name, '=', value as never);
    }
    return await newestFirst(rows, query, start).execute();
  }

  /** Moves the status, with who and when. A dismissal wants a reason. */
  async move(
    scope: TenantScope,
    outcome: Outcome,
    id: string,
    { to, reason, by }: { readonly to: Status; readonly reason: string | null; readonly by: AuditActor },
  ): Promise<ResultView> {
    const at = this.#clock.now();
    return await this.#storage.transaction(async (trx) => {
      const own = withinTenant(trx, scope);
      const row = await own
        .selectFrom('trace_results')
        .selectAll()
        .where('id', '=', id)
        .where('outcome', '=', outcome)
        .executeTakeFirst();
      if (row === undefined) throw new NoSuchError(outcome);
      if (row.status === to) return resultView(row);
      checkMove(row.status, to, reason);
      const move: Move = { from: row.status, to, reason, by: by.id, at };
      const moved = await own
        .updateTable('trace_results')
        .set({ status: to, moves: JSON.stringify([...(JSON.parse(row.moves) as Move[]), move]) })
        .where('id', '=', id)
        .where('status', '=', row.status)
        .returningAll()
        .executeTakeFirst();
      if (moved === undefined)
        throw new ApiError(
          'version_conflict',
          'Another request has changed the status. Retrieve the result again and repeat the change.',
        );
      await appendAuditRecord(trx, at, {
        ...auditScope(scope),
        by,
        action: `trace.${outcome}_moved`,
        target: id,
        before: { status: row.status },
        after: { status: to },
      });
      return resultView(moved);
    });
  }

  /** Sums the potential cost by the requested dimensions. Dismissed and remediated violations count as zero. */
  async exposure(
    scope: TenantScope,
    by: readonly Dimension[],
    { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  ): Promise<ExposureRow[]> {
    const columns = by.map((dimension) => DIMENSIONS[dimension]);
    let rows = withinTenant(this.#storage.db, scope)
      .selectFrom('trace_results')
      .where('outcome', '=', 'violation')
      .select((eb) => [
        'currency',
        eb.fn.countAll<number>().as('violations'),
        ...OPEN.map(({ name, value }) =>
          eb.fn
            .sum<number>(
              eb
                .case()
                .when('status', 'in', ['open', 'acknowledged'])
                .then(value === null ? eb.lit(1) : eb.ref(value))
                .else(eb.lit(0))
                .end(),
            )
            .as(name),
        ),
      ])
      .groupBy('currency')
      .orderBy('currency');
    for (const column of columns) rows = rows.select(column).groupBy(column).orderBy(column) as typeof rows;
    if (from !== undefined) rows = rows.where('day', '>=', from);
    if (to !== undefined) rows = rows.where('day', '<=', to);
    const found = (await rows.limit(MOST_ROWS).execute()) as unknown as Record<string, unknown>[];
    return found.map((row) => ({
      ...Object.fromEntries(columns.map((column) => [column, (row[column] as string | null) ?? null])),
      currency: (row.currency as string | null) ?? null,
      violations: Number(row.violations),
      open: Number(row.open),
      least_micros: Number(row.least_micros),
      most_micros: Number(row.most_micros),
    }));
  }
}

const MOST_ROWS = 10_000;
const OPEN = [
  { name: 'open', value: null },
  { name: 'least_micros', value: 'least_micros' },
  { name: 'most_micros', value: 'most_micros' },
] as const;

function checkMove(from: Status, to: Status, reason: string | null): void {
  if (!NEXT[from].includes(to))
    throw new ApiError('invalid_request', `status cannot change from ${from} to ${to}.`, { param: 'status' });
  if (to === 'dismissed' && reason === null)
    throw new ApiError('invalid_request', 'reason is required to dismiss a violation.', { param: 'reason' });
}
