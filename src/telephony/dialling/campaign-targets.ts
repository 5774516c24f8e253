import type { TenantScope } from '../../foundation/access/contract.ts';
import { DEFAULT_PAGE, type PageEnd, type PageQuery } from '../../foundation/platform/pages.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { TelephonyTargetRow } from '../../foundation/storage/tables/telephony.ts';

export const TARGET_STATES = ['waiting', 'calling', 'done'] as const;

export interface TargetFilter {
  readonly state?: TelephonyTargetRow['state'] | undefined;
  readonly outcome?: string | undefined;
}

const ROWS_AT_ONCE = 1_000;
const COLUMNS = ['to', 'state', 'attempts', 'outcome', 'call_id', 'next_at'] as const;

export const targetEnd = (row: TelephonyTargetRow): PageEnd => ({
  createdAt: Number(row.position),
  id: row.id,
});

export const targetView = (row: TelephonyTargetRow) => ({
  id: row.id,
  object: 'telephony.campaign_target' as const,
  to: row.to_number,
  variables: JSON.parse(row.variables) as Record<string, string>,
  state: row.state,
  attempts: Number(row.attempts),
  outcome: row.outcome,
  call_id: row.call_id,
  next_at: row.state === 'waiting' ? Number(row.next_at) : null,
});

export class CampaignTargets {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Returns up to one more than the page. */
  async list(
    scope: TenantScope,
    campaignId: string,
    { state, outcome }: TargetFilter,
    { limit = DEFAULT_PAGE }: Pick<PageQuery, 'limit'>,
    start: PageEnd | null,
  ): Promise<TelephonyTargetRow[]> {
    let rows = withinTenant(this.#storage.db, scope)
      .selectFrom('telephony_targets')
      .selectAll()
      .where('campaign_id', '=', campaignId);
    if (state !== undefined) rows = rows.where('state', '=', state);
    if (outcome !== undefined) rows = rows.where('outcome', '=', outcome);
    if (start !== null) rows = rows.where('position', '>', start.createdAt);
    return await rows
      .orderBy('position')
      .limit(limit + 1)
      .execute();
  }

  /** Streams all targets as CSV: the imported table, with the outcome columns in front. */
  async *csv(scope: TenantScope, campaignId: string, filter: TargetFilter): AsyncGenerator<string> {
    const names = new Set<string>();
    for await (const rows of this.#pieces(scope, campaignId, filter))
      for (const { variables } of rows.map(targetView))
        for (const name of Object.keys(variables)) names.add(name);
    yield line([...COLUMNS, ...names]);
    for await (const rows of this.#pieces(scope, campaignId, filter)) {
      const targets = rows.map(targetView);
      yield targets
        .map((one) =>
          line([...COLUMNS.map((column) => one[column]), ...[...names].map((name) => one.variables[name])]),
        )
        .join('');
    }
  }

  async *#pieces(
    scope: TenantScope,
    campaignId: string,
    filter: TargetFilter,
  ): AsyncGenerator<TelephonyTargetRow[]> {
    let start: PageEnd | null = null;
    for (;;) {
      const rows: TelephonyTargetRow[] = await this.list(
        scope,
        campaignId,
        filter,
        { limit: ROWS_AT_ONCE },
        start,
      );
      const piece = rows.slice(0, ROWS_AT_ONCE);
      if (piece.length > 0) yield piece;
      if (rows.length <= ROWS_AT_ONCE) return;
      start = targetEnd(piece.at(-1)!);
    }
  }
}

const line = (cells: readonly (string | number | null | undefined)[]): string =>
  `${cells.map((cell) => quoted(String(cell ?? ''))).join(',')}\r\n`;

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
