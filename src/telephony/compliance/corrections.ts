import type { Sealer, TenantScope } from '../../foundation/access/index.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../../foundation/audit/index.ts';
import type { JobQueue } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { actorOf, type WithinTransaction } from './cases.ts';
import type { ReadField } from './contract.ts';
import type { AssessedCase, CaseService } from './evidence/case-service.ts';
import { type Dossier, type Extraction, evidenceFor, fieldsPlace, isUnfinished } from './evidence/dossier.ts';
import { documentsThatCount } from './evidence/needs.ts';
import { withdraw } from './evidence/withdraw.ts';
import { formatted } from './formats/formats.ts';
import { withoutPersonal } from './masking.ts';
import type { SnapshotField } from './registry/snapshot.ts';

export interface CorrectionsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly sealer: Sealer;
  readonly caseService: CaseService;
}

export interface NewCorrection {
  readonly extraction_id: string;
  readonly field: string;
  readonly value: string;
  readonly reason: string;
}

const invalid = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });

/** A human's correction of an extracted value. The previous value is kept, encrypted. */
export class Corrections {
  readonly #deps: CorrectionsDeps;

  constructor(deps: CorrectionsDeps) {
    this.#deps = deps;
  }

  async add(
    scope: TenantScope,
    id: string,
    expected: number | null,
    given: NewCorrection,
    by: AuditActor,
    keep: WithinTransaction,
  ): Promise<AssessedCase> {
    const { storage, caseService, queue, clock, sealer } = this.#deps;
    return await storage.transaction(async (trx) => {
      const dossier = await caseService.begin(trx, scope, id, expected);
      const { extraction, rule } = placeOf(dossier, given);
      const field = corrected(dossier, rule, given);
      const correction = newId('ccor');
      const now = clock.now();
      const before = extraction.fields.find((each) => each.field === given.field) ?? null;
      const mine = withinTenant(trx, scope);
      await mine
        .insertInto('compliance_corrections', {
          id: correction,
          case_id: id,
          extraction_id: extraction.id,
          field: given.field,
          reason: withoutPersonal(given.reason),
          sealed: sealer.seal(
            JSON.stringify({ before: before?.value ?? null, after: field.value }),
            `compliance correction ${correction}`,
          ),
          actor_kind: by.kind,
          actor_id: by.id,
          created_at: now,
        })
        .execute();
      const others = extraction.fields.filter((each) => each.field !== given.field);
      const fields = sealer.seal(JSON.stringify([...others, field]), fieldsPlace(extraction.id));
      await mine
        .updateTable('compliance_extractions')
        .set({ fields })
        .where('id', '=', extraction.id)
        .execute();
      const detail = { correction_id: correction, extraction_id: extraction.id, field: given.field };
      const note = { type: 'field.corrected', by: actorOf(by), reason: given.reason, detail };
      await caseService.settle(trx, scope, id, note, await withdraw(trx, queue, dossier.row));
      await appendAuditRecord(trx, now, {
        ...auditScope(scope),
        by,
        action: 'compliance_case.corrected',
        target: id,
        before: null,
        after: detail,
      });
      const looked = await caseService.look(scope, id, trx);
      await keep(trx, looked);
      return looked;
    });
  }
}

function placeOf(
  dossier: Dossier,
  { extraction_id, field }: NewCorrection,
): { extraction: Extraction; rule: SnapshotField } {
  for (const document of documentsThatCount(dossier)) {
    const extraction = evidenceFor(dossier, document.id)?.extraction;
    if (extraction?.id !== extraction_id) continue;
    if (isUnfinished(extraction)) throw invalid('extraction_id', 'The document is still being processed.');
    const rule = document.fields.find((each) => each.field === field);
    if (rule !== undefined) return { extraction, rule };
    throw invalid(
      'field',
      `Fields of the document: ${document.fields.map((each) => each.field).join(', ')}.`,
    );
  }
  throw invalid('extraction_id', 'The case has no such extraction, or a newer file has replaced it.');
}

function corrected({ snapshot }: Dossier, rule: SnapshotField, { field, value }: NewCorrection): ReadField {
  const { country, dates } = snapshot.config;
  const read = formatted(rule.format, value, { country, dates });
  if (read === null) throw invalid('value', `The value does not have the format ${rule.format}.`);
  return {
    field,
    value: read.value,
    confidence: 1,
    provenance: { source: 'correction', page: null, box: null, words: null },
    pii_class: rule.pii_class,
  };
}
