import type { TenantScope } from '../../../foundation/access/contract.ts';
import { type AuditActor, appendAuditRecord, auditScope } from '../../../foundation/audit/index.ts';
import type { JobQueue, Trx } from '../../../foundation/jobs/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { Storage } from '../../../foundation/storage/index.ts';
import { actorOf, type WithinTransaction } from '../cases.ts';
import type { CaseState } from '../contract.ts';
import { isBehind } from '../evidence/ageing.ts';
import { assess } from '../evidence/assess.ts';
import type { AssessedCase, CaseService } from '../evidence/case-service.ts';
import type { Dossier } from '../evidence/dossier.ts';
import { networkJob } from '../running/jobs.ts';
import type { NumberingNetwork } from './contract.ts';

export interface SubmissionsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly caseService: CaseService;
  readonly network: NumberingNetwork | null;
}

export class Submissions {
  readonly #deps: SubmissionsDeps;

  constructor(deps: SubmissionsDeps) {
    this.#deps = deps;
  }

  async submit(
    scope: TenantScope,
    id: string,
    expected: number | null,
    by: AuditActor,
    keep: WithinTransaction,
  ): Promise<AssessedCase> {
    const { storage, caseService, clock } = this.#deps;
    const goesBy = await this.#settleAge(scope, id, expected);
    return await storage.transaction(async (trx) => {
      const dossier = await caseService.begin(trx, scope, id, goesBy);
      if (dossier.row.network_status !== 'evaluating') await this.#begin(trx, scope, dossier, by);
      const looked = await caseService.look(scope, id, trx);
      await keep(trx, looked);
      await appendAuditRecord(trx, clock.now(), {
        ...auditScope(scope),
        by,
        action: 'compliance_case.submitted',
        target: id,
        before: null,
        after: { version: looked.dossier.row.version },
      });
      return looked;
    });
  }

  async #begin(trx: Trx, scope: TenantScope, dossier: Dossier, by: AuditActor): Promise<void> {
    const { network, caseService, queue, clock } = this.#deps;
    const { id } = dossier.row;
    const { missing } = assess(dossier, clock.now());
    if ((dossier.row.state as CaseState) !== 'ready_for_submission') {
      throw new ApiError('case_not_ready', notReady(missing.map(({ message }) => message)));
    }
    if (network === null) {
      throw new ApiError(
        'network_not_configured',
        'This server has no carrier for compliance submissions; the operator can configure one with TRUNKLINE_COMPLIANCE_NETWORK.',
      );
    }
    const note = { type: 'submission.requested', by: actorOf(by), detail: { network: network.name } };
    await caseService.settle(trx, scope, id, note, { network_status: 'evaluating' });
    await queue.replace(trx, networkJob(scope, id));
  }

  /** A document may have expired while the case waited. Returns the version that the submission must expect. */
  async #settleAge(scope: TenantScope, id: string, expected: number | null): Promise<number | null> {
    const { storage, caseService } = this.#deps;
    const { dossier, assessment } = await caseService.look(scope, id);
    if (!isBehind(dossier, assessment)) return expected;
    return await storage.transaction(async (trx) => {
      await caseService.begin(trx, scope, id, expected);
      await caseService.catchUp(trx, scope, id);
      return expected === null ? null : (await caseService.look(scope, id, trx)).dossier.row.version;
    });
  }
}

const notReady = (messages: readonly string[]): string =>
  messages.length === 0
    ? 'The case is not ready: its documents are still being read.'
    : `The case is not ready. ${messages.slice(0, 5).join(' ')}`;
