import type { TenantScope } from '../../foundation/access/contract.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../../foundation/audit/index.ts';
import type { JobQueue, Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { type CaseState, SILENCE } from './contract.ts';
import type { AssessedCase, CaseService } from './evidence/case-service.ts';
import { type Actor, appendTimeline } from './evidence/timeline.ts';
import { withdraw } from './evidence/withdraw.ts';
import { withoutPersonal } from './masking.ts';
import { isOf, type Registry, type Subject } from './registry/registry.ts';

export interface CasesDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly caseService: CaseService;
  readonly registry: Registry;
  /** The organization's retention of documents in days; null stands for the registry's default. */
  readonly documentDays: (orgId: string) => Promise<number | null>;
}

export interface NewComplianceCase extends Subject {
  readonly use_case: string;
  readonly external_id: string | null;
  readonly phone_number?: string | null;
}

/** An absent field stays as it is. */
export interface CaseEdit {
  readonly use_case?: string;
  readonly phone_number?: string | null;
}

export interface CaseFilter {
  readonly state?: string | undefined;
  readonly kind?: string | undefined;
  readonly country?: string | undefined;
}

export type WithinTransaction = (trx: Trx, looked: AssessedCase) => Promise<void>;

export const actorOf = ({ kind, id }: AuditActor): Actor => ({ kind, id });

const NO_DETAIL = {};

export class Cases {
  readonly #deps: CasesDeps;

  constructor(deps: CasesDeps) {
    this.#deps = deps;
  }

  async create(
    scope: TenantScope,
    given: NewComplianceCase,
    by: AuditActor,
    keep: WithinTransaction,
  ): Promise<AssessedCase> {
    const { clock, registry, storage, caseService } = this.#deps;
    const { phone_number = null } = given;
    mustBeOf(given.country, phone_number);
    const now = clock.now();
    const snapshot = registry.freeze(given, now, await this.#deps.documentDays(scope.org));
    const id = newId('ncc');
    const row = {
      id,
      external_id: given.external_id,
      kind: given.kind,
      country: given.country,
      number_type: given.number_type,
      phone_number,
      capabilities: JSON.stringify(given.capabilities),
      use_case: withoutPersonal(given.use_case),
      state: 'collecting_evidence' satisfies CaseState,
      version: 1,
      rules_snapshot: JSON.stringify(snapshot),
      network_status: 'draft',
      continuation_reason: 'evidence_missing',
      attestations: '[]',
      network: JSON.stringify(SILENCE),
      created_at: now,
      updated_at: now,
    };
    return await storage.transaction(async (trx) => {
      await withinTenant(trx, scope).insertInto('compliance_cases', row).execute();
      const detail = { registry_version: snapshot.registry_version };
      await appendTimeline(trx, scope, id, 1, now, { type: 'case.created', by: actorOf(by), detail });
      await this.#audit(trx, scope, by, 'compliance_case.created', id, {
        kind: row.kind,
        country: row.country,
      });
      const looked = await caseService.look(scope, id, trx);
      await keep(trx, looked);
      return looked;
    });
  }

  async list(
    scope: TenantScope,
    filter: CaseFilter,
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<AssessedCase[]> {
    const { storage, caseService } = this.#deps;
    let select = withinTenant(storage.db, scope).selectFrom('compliance_cases').select(['id', 'created_at']);
    for (const name of ['state', 'kind', 'country'] as const) {
      const wanted = filter[name];
      if (wanted !== undefined) select = select.where(name, '=', wanted);
    }
    // A case that ages while the page is read may leave the filter; the page is then read again.
    for (;;) {
      const rows = await newestFirst(select, query, start).execute();
      const found = await Promise.all(rows.map(({ id }) => caseService.current(scope, id)));
      if (filter.state === undefined || found.every(({ dossier }) => dossier.row.state === filter.state))
        return found;
    }
  }

  /** An edit withdraws a submission that is not yet accepted, and clears the network's questions. */
  async change(
    scope: TenantScope,
    id: string,
    expected: number | null,
    { use_case: use, phone_number: number }: CaseEdit,
    by: AuditActor,
  ): Promise<AssessedCase> {
    const { storage, caseService, queue } = this.#deps;
    return await storage.transaction(async (trx) => {
      const { row } = await caseService.begin(trx, scope, id, expected);
      const use_case = use === undefined ? row.use_case : withoutPersonal(use);
      const phone_number = number === undefined ? row.phone_number : number;
      mustBeOf(row.country, phone_number);
      const fields = [
        ...(use_case === row.use_case ? [] : ['use_case']),
        ...(phone_number === row.phone_number ? [] : ['phone_number']),
      ];
      if (fields.length > 0) {
        const note = { type: 'case.changed', by: actorOf(by), detail: { fields } };
        const change = { use_case, phone_number, ...(await withdraw(trx, queue, row)) };
        await caseService.settle(trx, scope, id, note, change);
        await this.#audit(trx, scope, by, 'compliance_case.changed', id, { fields });
      }
      return await caseService.look(scope, id, trx);
    });
  }

  async hasApproved(scope: TenantScope, phoneNumber: string): Promise<boolean> {
    const row = await withinTenant(this.#deps.storage.db, scope)
      .selectFrom('compliance_cases')
      .select('id')
      .where('kind', '=', 'new_number')
      .where('phone_number', '=', phoneNumber)
      .where('network_status', '=', 'approved')
      .executeTakeFirst();
    return row !== undefined;
  }

  async cancel(
    scope: TenantScope,
    id: string,
    expected: number | null,
    reason: string | null,
    by: AuditActor,
  ): Promise<AssessedCase> {
    const { storage, caseService } = this.#deps;
    return await storage.transaction(async (trx) => {
      const { extractions } = await caseService.begin(trx, scope, id, expected);
      const note = { type: 'case.cancelled', by: actorOf(by), reason };
      const change = { terminal_reason: 'cancelled_by_customer', network_status: 'draft' };
      await caseService.end(trx, scope, id, 'cancelled', note, change);
      if (extractions.length > 0) await stopReading(trx, scope, id);
      await this.#audit(trx, scope, by, 'compliance_case.cancelled', id, NO_DETAIL);
      return await caseService.look(scope, id, trx);
    });
  }

  async #audit(
    trx: Trx,
    scope: TenantScope,
    by: AuditActor,
    action: string,
    target: string,
    after: object,
  ): Promise<void> {
    await appendAuditRecord(trx, this.#deps.clock.now(), {
      ...auditScope(scope),
      by,
      action,
      target,
      before: null,
      after: { ...after },
    });
  }
}

function mustBeOf(country: string, phoneNumber: string | null): void {
  if (phoneNumber === null || isOf(country, phoneNumber)) return;
  const message = `The case requires a number of ${country}; ${phoneNumber} is from another country.`;
  throw new ApiError('invalid_request', message, { param: 'phone_number' });
}

async function stopReading(trx: Trx, scope: TenantScope, id: string): Promise<void> {
  await withinTenant(trx, scope)
    .updateTable('compliance_extractions')
    .set({ status: 'cancelled', failure_reason: 'case_cancelled', cost_micros: 0 })
    .where('case_id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .execute();
}
