import type { TenantScope } from '../../foundation/access/contract.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../../foundation/audit/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import { actorOf, type WithinTransaction } from './cases.ts';
import { MANUAL_REVIEW } from './contract.ts';
import { assess } from './evidence/assess.ts';
import type { AssessedCase, CaseService } from './evidence/case-service.ts';
import type { Dossier } from './evidence/dossier.ts';

export interface AttestationsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly caseService: CaseService;
}

/** `isReviewer` is a signed-in owner or admin; an API key is never one. */
export interface Attesting {
  readonly by: AuditActor;
  readonly isReviewer: boolean;
}

export class Attestations {
  readonly #deps: AttestationsDeps;

  constructor(deps: AttestationsDeps) {
    this.#deps = deps;
  }

  /** Throws ApiError. A repeated attestation changes nothing. */
  async add(
    scope: TenantScope,
    id: string,
    expected: number | null,
    request: string,
    who: Attesting,
    keep: WithinTransaction,
  ): Promise<AssessedCase> {
    const { storage, caseService } = this.#deps;
    return await storage.transaction(async (trx) => {
      const dossier = await caseService.begin(trx, scope, id, expected);
      mustBeAsked(dossier, request);
      if (request === MANUAL_REVIEW) this.#mayRelease(dossier, who);
      if (!dossier.attestations.some((each) => each.attestation_request_id === request))
        await this.#write(trx, scope, dossier, request, who.by);
      const looked = await caseService.look(scope, id, trx);
      await keep(trx, looked);
      return looked;
    });
  }

  #mayRelease(dossier: Dossier, { isReviewer }: Attesting): void {
    if (!isReviewer) {
      throw new ApiError(
        'forbidden',
        'A review can only be released by a signed-in owner or admin of the organization, not by an API key. If the organization has no members yet, the operator can invite the first one: npx trunkline people invite.',
        { param: 'attestation_request_id' },
      );
    }
    const { missing, state } = assess(dossier, this.#deps.clock.now());
    const others = missing.filter(({ attestation_request_id: of }) => of !== MANUAL_REVIEW);
    if (state !== 'extracting' && others.length === 0) return;
    const said = others.map(({ message }) => message).slice(0, 5);
    throw new ApiError('case_not_ready', `The case is not ready for review. ${said.join(' ')}`.trim());
  }

  async #write(
    trx: Trx,
    scope: TenantScope,
    { row, attestations }: Dossier,
    request: string,
    by: AuditActor,
  ) {
    const { caseService, clock } = this.#deps;
    const now = clock.now();
    const given = {
      id: request,
      attestation_request_id: request,
      accepted_by: actorOf(by),
      accepted_at: now,
    };
    const detail = { attestation_request_id: request };
    const isReview = request === MANUAL_REVIEW;
    const note = { type: isReview ? 'review.released' : 'attestation.accepted', by: actorOf(by), detail };
    const change = { attestations: JSON.stringify([...attestations, given]) };
    await caseService.settle(trx, scope, row.id, note, change);
    await appendAuditRecord(trx, now, {
      ...auditScope(scope),
      by,
      action: isReview ? 'compliance_case.released' : 'compliance_case.attested',
      target: row.id,
      before: null,
      after: detail,
    });
  }
}

function mustBeAsked({ snapshot }: Dossier, request: string): void {
  const known = snapshot.config.attestations.map((each) => each.id);
  if (known.includes(request)) return;
  throw new ApiError('invalid_request', `The case requests these attestations: ${known.join(', ')}.`, {
    param: 'attestation_request_id',
  });
}
