import type { Transaction } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../../foundation/audit/index.ts';
import { DomainEvent, type DomainEvents } from '../../foundation/events/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, type Storage, type Tables, withinTenant } from '../../foundation/storage/index.ts';
import type { AgentTestRunRow } from '../../foundation/storage/tables/agents.ts';

export interface SuiteRun {
  readonly version: number;
  readonly suite: string;
  readonly scenarios: readonly {
    readonly name: string;
    readonly passed: boolean;
    readonly call_ids: readonly string[];
  }[];
}

export const SuiteRecorded = new DomainEvent<{
  readonly scope: TenantScope;
  readonly callIds: readonly string[];
}>('suite.recorded');

const wrong = (message: string): ApiError => new ApiError('invalid_request', message, { param: 'scenarios' });

/** A recorded run refers to calls that this server carried with that very version. */
export class TestRuns {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #events: Pick<DomainEvents, 'publish'>;

  constructor(storage: Storage, clock: Clock, events: Pick<DomainEvents, 'publish'>) {
    this.#storage = storage;
    this.#clock = clock;
    this.#events = events;
  }

  async add(scope: TenantScope, agentId: string, played: SuiteRun, by: AuditActor): Promise<AgentTestRunRow> {
    await this.#checkCalls(scope, agentId, played);
    const { version, suite, scenarios } = played;
    const failed = scenarios.filter(({ passed }) => !passed).length;
    const now = this.#clock.now();
    return await this.#storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .insertInto('agent_test_runs', {
          id: newId('trun'),
          agent_id: agentId,
          version,
          suite,
          scenarios: scenarios.length,
          failed,
          created_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await appendAuditRecord(trx, now, {
        ...auditScope(scope),
        by,
        action: 'agent.tested',
        target: agentId,
        before: null,
        after: { run: row.id, version, suite, scenarios: scenarios.length, failed },
      });
      const callIds = scenarios.flatMap(({ call_ids }) => call_ids);
      await this.#events.publish(trx, SuiteRecorded, { scope, callIds });
      return row;
    });
  }

  async list(
    scope: TenantScope,
    agentId: string,
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<AgentTestRunRow[]> {
    const rows = withinTenant(this.#storage.db, scope)
      .selectFrom('agent_test_runs')
      .selectAll()
      .where('agent_id', '=', agentId);
    return await newestFirst(rows, query, start).execute();
  }

  /** Each scenario that passed needs calls that have ended and that this version served. */
  async #checkCalls(scope: TenantScope, agentId: string, { version, scenarios }: SuiteRun): Promise<void> {
    const silent = scenarios.find(({ passed, call_ids }) => passed && call_ids.length === 0);
    if (silent !== undefined) throw wrong(`${silent.name} passed but has no call: set call_ids.`);
    const ids = [...new Set(scenarios.flatMap(({ call_ids }) => call_ids))];
    const rows =
      ids.length === 0
        ? []
        : await withinTenant(this.#storage.db, scope)
            .selectFrom('omni_calls')
            .select('id')
            .where('id', 'in', ids)
            .where('agent_id', '=', agentId)
            .where('agent_version', '=', version)
            .where('status', '!=', 'live')
            .execute();
    const served = new Set(rows.map(({ id }) => id));
    const other = ids.find((id) => !served.has(id));
    if (other !== undefined)
      throw wrong(`${other} is not a call that version ${version} of this agent served.`);
  }
}

/** Throws ApiError for the first version whose newest run of the suite did not pass, or that has none. */
export async function requireSuitePassed(
  trx: Transaction<Tables>,
  scope: TenantScope,
  { id, required_suite: suite }: { readonly id: string; readonly required_suite: string | null },
  versions: readonly number[],
): Promise<void> {
  if (suite === null) return;
  for (const version of versions) {
    const run = await withinTenant(trx, scope)
      .selectFrom('agent_test_runs')
      .select('failed')
      .where('agent_id', '=', id)
      .where('version', '=', version)
      .where('suite', '=', suite)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .executeTakeFirst();
    if (run !== undefined && Number(run.failed) === 0) continue;
    const why = run === undefined ? 'was not run against' : 'did not pass against';
    throw new ApiError('suite_not_passed', `The suite “${suite}” ${why} version ${version}.`, {
      param: 'version',
    });
  }
}
