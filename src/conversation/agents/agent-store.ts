import type { Transaction } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import {
  type AuditActor,
  appendAuditRecord,
  auditScope,
  type Creator,
  creatorColumn,
  creatorOf,
  SYSTEM_ACTOR,
} from '../../foundation/audit/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, type Storage, type Tables, withinTenant } from '../../foundation/storage/index.ts';
import type { AgentRow } from '../../foundation/storage/tables/agents.ts';
import { type AgentFields, EMPTY_AGENT } from './fields.ts';
import { requireSuitePassed } from './test-runs.ts';
import { checkTraffic, type Traffic } from './traffic.ts';

export interface Agent {
  readonly id: string;
  readonly version: number;
  readonly fields: AgentFields;
  readonly latestVersion: number;
  readonly publishedVersion: number | null;
  readonly traffic: Traffic | null;
  /** Calls get only versions that passed this suite; null sets no condition. */
  readonly requiredSuite: string | null;
  readonly createdBy: Creator | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface AgentVersion {
  readonly version: number;
  readonly fields: AgentFields;
  readonly createdAt: number;
}

type Trx = Transaction<Tables>;
export type AgentSaveHook = (transaction: Trx, agent: Agent) => Promise<void>;

const notFound = (): ApiError => new NoSuchError('agent');
const noVersion = (version: number): ApiError =>
  new ApiError('invalid_request', `There is no version ${version}.`, { param: 'version' });

/** Every save makes a version, and no version ever changes. */
export class AgentStore {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** The hook `alongside` writes in the same transaction. */
  async create(
    scope: TenantScope,
    fields: AgentFields,
    draft: boolean,
    alongside?: AgentSaveHook,
    by: AuditActor = SYSTEM_ACTOR,
  ): Promise<Agent> {
    const now = this.#clock.now();
    const row = {
      id: newId('agt'),
      latest_version: 1,
      published_version: draft ? null : 1,
      traffic: null,
      required_suite: null,
      created_by: creatorColumn(by),
      created_at: now,
      updated_at: now,
    };
    return await this.#storage.transaction(async (trx) => {
      await withinTenant(trx, scope).insertInto('agents', row).execute();
      await this.#addVersion(trx, scope, row.id, 1, fields);
      const agent = agentOf(row, { version: 1, fields, createdAt: now });
      await this.#note(trx, scope, { by, action: 'agent.created', before: null, after: agent });
      await alongside?.(trx, agent);
      return agent;
    });
  }

  /** Saves a new version on top of `latest`. Returns null where another request saved one meanwhile. */
  async save(
    scope: TenantScope,
    before: Agent,
    draft: boolean,
    fields: AgentFields,
    by: AuditActor = SYSTEM_ACTOR,
  ): Promise<Agent | null> {
    const now = this.#clock.now();
    const version = before.latestVersion + 1;
    const settled = draft ? {} : { published_version: version, traffic: null };
    return await this.#storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .updateTable('agents')
        .set({ latest_version: version, updated_at: now, ...settled })
        .where('id', '=', before.id)
        .where('latest_version', '=', before.latestVersion)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return null;
      if (!draft) await requireSuitePassed(trx, scope, row, [version]);
      await this.#addVersion(trx, scope, before.id, version, fields);
      const after = agentOf(row, { version, fields, createdAt: now });
      await this.#note(trx, scope, { by, action: 'agent.changed', before, after });
      return after;
    });
  }

  async publish(
    scope: TenantScope,
    id: string,
    version: number,
    by: AuditActor = SYSTEM_ACTOR,
  ): Promise<Agent> {
    return await this.#settle(scope, await this.get(scope, id), version, null, by);
  }

  async share(
    scope: TenantScope,
    id: string,
    traffic: Traffic,
    by: AuditActor = SYSTEM_ACTOR,
  ): Promise<Agent> {
    const before = await this.get(scope, id);
    checkTraffic(traffic, before.latestVersion);
    const [most] = Object.entries(traffic).sort(([, a], [, b]) => b - a);
    return await this.#settle(scope, before, Number(most?.[0]), traffic, by);
  }

  async #settle(
    scope: TenantScope,
    before: Agent,
    version: number,
    traffic: Traffic | null,
    by: AuditActor,
  ): Promise<Agent> {
    const { id, latestVersion } = before;
    if (version < 1 || version > latestVersion) throw noVersion(version);
    const change = { published_version: version, traffic: traffic && JSON.stringify(traffic) };
    await this.#storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .updateTable('agents')
        .set({ ...change, updated_at: this.#clock.now() })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw notFound();
      await requireSuitePassed(trx, scope, row, serving(version, traffic));
      await this.#note(trx, scope, { by, action: 'agent.published', before, after: agentOf(row, before) });
    });
    return await this.get(scope, id);
  }

  /**
   * From now on, only versions that passed the suite can be published; null removes the condition. Published versions
   * stay published.
   */
  async requireSuite(
    scope: TenantScope,
    id: string,
    suite: string | null,
    by: AuditActor = SYSTEM_ACTOR,
  ): Promise<Agent> {
    const before = await this.get(scope, id);
    await this.#storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .updateTable('agents')
        .set({ required_suite: suite, updated_at: this.#clock.now() })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw notFound();
      await this.#note(trx, scope, { by, action: 'agent.changed', before, after: agentOf(row, before) });
    });
    return await this.get(scope, id);
  }

  /**
   * Returns the fields of `version`; by default those of the published version, or of the newest draft where none is
   * published. Throws ApiError.
   */
  async get(scope: TenantScope, id: string, version?: number | 'newest'): Promise<Agent> {
    const agent = await this.find(scope, id, version);
    if (agent === null) throw notFound();
    return agent;
  }

  async find(scope: TenantScope, id: string, version?: number | 'newest'): Promise<Agent | null> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('agents')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    const latest = Number(row.latest_version);
    const wanted = version === 'newest' ? latest : (version ?? shownVersion(row, latest));
    if (wanted < 1 || wanted > latest) throw noVersion(wanted);
    const found = await this.#version(this.#storage.db, scope, id, wanted);
    return found === null ? null : agentOf(row, found);
  }

  async list(scope: TenantScope, query: PageQuery, start: PageEnd | null): Promise<Agent[]> {
    const select = withinTenant(this.#storage.db, scope).selectFrom('agents').selectAll();
    const rows = await newestFirst(select, query, start).execute();
    const agents: Agent[] = [];
    for (const row of rows) {
      const version = await this.#version(
        this.#storage.db,
        scope,
        row.id,
        shownVersion(row, Number(row.latest_version)),
      );
      if (version !== null) agents.push(agentOf(row, version));
    }
    return agents;
  }

  async versions(scope: TenantScope, id: string): Promise<AgentVersion[]> {
    const rows = await withinTenant(this.#storage.db, scope)
      .selectFrom('agent_versions')
      .selectAll()
      .where('agent_id', '=', id)
      .orderBy('version', 'desc')
      .limit(MOST_VERSIONS_SHOWN)
      .execute();
    return rows.map(versionOf);
  }

  async delete(scope: TenantScope, id: string, by: AuditActor = SYSTEM_ACTOR): Promise<boolean> {
    const before = await this.find(scope, id);
    if (before === null) return false;
    return await this.#storage.transaction(async (trx) => {
      await withinTenant(trx, scope).deleteFrom('agent_versions').where('agent_id', '=', id).execute();
      await withinTenant(trx, scope).deleteFrom('agent_test_runs').where('agent_id', '=', id).execute();
      const gone = await withinTenant(trx, scope)
        .deleteFrom('agents')
        .where('id', '=', id)
        .executeTakeFirst();
      if (gone.numDeletedRows === 0n) return false;
      await this.#note(trx, scope, { by, action: 'agent.deleted', before, after: null });
      return true;
    });
  }

  async #note(trx: Trx, scope: TenantScope, { by, action, before, after }: Change): Promise<void> {
    await appendAuditRecord(trx, this.#clock.now(), {
      ...auditScope(scope),
      by,
      action,
      target: (after ?? before)?.id ?? '',
      before: before && auditedAgent(before),
      after: after && auditedAgent(after),
    });
  }

  async #addVersion(
    trx: Trx,
    scope: TenantScope,
    id: string,
    version: number,
    fields: AgentFields,
  ): Promise<void> {
    await withinTenant(trx, scope)
      .insertInto('agent_versions', {
        agent_id: id,
        version,
        fields: JSON.stringify(fields),
        created_at: this.#clock.now(),
      })
      .execute();
  }

  async #version(
    db: Trx | Storage['db'],
    scope: TenantScope,
    id: string,
    version: number,
  ): Promise<AgentVersion | null> {
    const row = await withinTenant(db, scope)
      .selectFrom('agent_versions')
      .selectAll()
      .where('agent_id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst();
    return row === undefined ? null : versionOf(row);
  }
}

interface Change {
  readonly by: AuditActor;
  readonly action: `agent.${string}`;
  readonly before: Agent | null;
  readonly after: Agent | null;
}

/** The audit log omits the fields: the versions have them, and no version changes. */
const auditedAgent = ({ fields, latestVersion, publishedVersion, traffic, requiredSuite }: Agent) => ({
  name: fields.name,
  latest_version: latestVersion,
  published_version: publishedVersion,
  traffic,
  required_suite: requiredSuite,
});

const serving = (version: number, traffic: Traffic | null): number[] =>
  traffic === null
    ? [version]
    : Object.entries(traffic).flatMap(([one, percent]) => (percent > 0 ? [Number(one)] : []));

const MOST_VERSIONS_SHOWN = 500;

const shownVersion = (row: Pick<AgentRow, 'published_version'>, latest: number): number =>
  row.published_version === null ? latest : Number(row.published_version);

const versionOf = (row: { version: number; fields: string; created_at: number }): AgentVersion => ({
  version: Number(row.version),
  // Defaults fill the fields that did not exist when the version was saved.
  fields: { ...EMPTY_AGENT, ...(JSON.parse(row.fields) as AgentFields) },
  createdAt: Number(row.created_at),
});

const agentOf = (
  row: Omit<AgentRow, 'org_id' | 'project_id' | 'environment'>,
  { version, fields }: AgentVersion,
): Agent => ({
  id: row.id,
  version,
  fields,
  latestVersion: Number(row.latest_version),
  publishedVersion: row.published_version === null ? null : Number(row.published_version),
  traffic: row.traffic === null ? null : (JSON.parse(row.traffic) as Traffic),
  requiredSuite: row.required_suite,
  createdBy: creatorOf(row.created_by),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
