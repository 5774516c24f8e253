import { type TenantScope, tenantScopeOfRow } from '../../foundation/access/index.ts';
import { appendAuditRecord, auditScope, SYSTEM_ACTOR } from '../../foundation/audit/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { acrossTenants, type Blobs, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { ComplianceCaseRow } from '../../foundation/storage/tables/compliance.ts';
import type { CaseService } from './evidence/case-service.ts';
import { WORKER } from './evidence/timeline.ts';
import { BLOB_AREA } from './uploads.ts';

export interface DocumentSweepDeps {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly caseService: CaseService;
}

const AT_ONCE = 100;

/**
 * Deletes the documents of cases at the end of their retention, and the extracted values. The case and its history
 * stay.
 */
export class DocumentSweep {
  readonly #deps: DocumentSweepDeps;

  constructor(deps: DocumentSweepDeps) {
    this.#deps = deps;
  }

  async sweep(): Promise<void> {
    for (let some = AT_ONCE; some === AT_ONCE; ) some = await this.#sweepSome();
  }

  async #sweepSome(): Promise<number> {
    const rows = await acrossTenants(this.#deps.storage.db)
      .selectFrom('compliance_cases')
      .select(['id', 'org_id', 'project_id', 'environment'])
      .where('documents_removed_at', 'is', null)
      .where('retention_delete_at', '<=', this.#deps.clock.now())
      .where('id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
      .orderBy('retention_delete_at')
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) await this.#remove(tenantScopeOfRow(row), row);
    if (rows.length > 0) await this.#deps.storage.scrub();
    return rows.length;
  }

  /**
   * Deletes the bytes first: after a crash in between, the sweep finds the case again, and the audit log claims
   * nothing untrue.
   */
  async #remove(scope: TenantScope, { id }: Pick<ComplianceCaseRow, 'id'>): Promise<void> {
    const { storage, blobs, clock, caseService } = this.#deps;
    await blobs.deleteOwner(BLOB_AREA, id);
    await storage.transaction(async (trx) => {
      const now = clock.now();
      const documents = await forgetEvidence(trx, scope, id, now);
      const note = {
        type: 'documents.deleted',
        by: WORKER,
        reason: 'The retention of the case is over.',
        detail: { documents },
      };
      await caseService.settle(trx, scope, id, note, { documents_removed_at: now });
      await appendAuditRecord(trx, now, {
        ...auditScope(scope),
        by: SYSTEM_ACTOR,
        action: 'retention.swept',
        target: id,
        before: null,
        after: { compliance_documents: documents },
      });
    });
  }
}

export async function forgetEvidence(trx: Trx, scope: TenantScope, id: string, now: number): Promise<number> {
  const mine = withinTenant(trx, scope);
  await mine.updateTable('compliance_extractions').set({ fields: null }).where('case_id', '=', id).execute();
  await mine.updateTable('compliance_corrections').set({ sealed: null }).where('case_id', '=', id).execute();
  const removed = await mine
    .updateTable('compliance_uploads')
    .set({ removed_at: now, file_name: 'removed' })
    .where('case_id', '=', id)
    .where('removed_at', 'is', null)
    .returning('id')
    .execute();
  return removed.length;
}
