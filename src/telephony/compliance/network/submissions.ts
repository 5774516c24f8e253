import type { TenantScope } from '../../../foundation/access/contract.ts';
import { type AuditActor, appendAuditRecord } from '../../../foundation/audit/index.ts';
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
  readonly desk: CaseService;
  /** The network is null when the operator configured none. */
  readonly network: NumberingNetwork | null;
}

/** Cases on their way to a carrier's review. */
export class Submissions {
  readonly #deps: SubmissionsDeps;

  constructor(deps: SubmissionsDeps) {
    this.#deps = deps;
  }

  /** The submission is idempotent. Throws ApiError. */
  async submit(
    reach: TenantScope,
    id: string,
    expected: number | null,
    by: AuditActor,
    keep: WithinTransaction,
  ): Promise<AssessedCase> {
    const { storage, desk, clock } = this.#deps;
    const goesBy = await this.#settleAge(reach, id, expected);
    return await storage.transaction(async (trx) => {
      const dossier = await desk.begin(trx, reach, id, goesBy);
      if (dossier.row.network_status !== 'evaluating') await this.#begin(trx, reach, dossier, by);
      const looked = await desk.look(reach, id, trx);
      await keep(trx, looked);
      await appendAuditRecord(trx, clock.now(), {
        orgId: reach.org,
        place: { projectId: reach.project, environment: reach.environment },
        by,
        action: 'compliance_case.submitted',
        target: id,
        before: null,
        after: { version: looked.dossier.row.version },
      });
      return looked;
    });
  }

  async #begin(trx: Trx, reach: TenantScope, dossier: Dossier, by: AuditActor): Promise<void> {
    const { network, desk, queue, clock } = this.#deps;
    const { id } = dossier.row;
    const { missing } = assess(dossier, clock.now());
    if ((dossier.row.state as CaseState) !== 'ready_for_submission') {
      throw new ApiError('case_not_ready', notReady(missing.map(({ message }) => message)));
    }
    if (network === null) {
      throw new ApiError(
        'network_not_configured',
        'This server submits to no network: the operator sets TRUNKLINE_COMPLIANCE_NETWORK.',
      );
    }
    const note = { type: 'submission.requested', by: actorOf(by), detail: { network: network.name } };
    await desk.settle(trx, reach, id, note, { network_status: 'evaluating' });
    await queue.replace(trx, networkJob(reach, id));
  }

  /** Documents grow old while a case waits: what was ready may be so no more. Answers the version to go by then. */
  async #settleAge(reach: TenantScope, id: string, expected: number | null): Promise<number | null> {
    const { storage, desk } = this.#deps;
    const { dossier, assessment } = await desk.look(reach, id);
    if (!isBehind(dossier, assessment)) return expected;
    return await storage.transaction(async (trx) => {
      await desk.begin(trx, reach, id, expected);
      await desk.catchUp(trx, reach, id);
      return expected === null ? null : (await desk.look(reach, id, trx)).dossier.row.version;
    });
  }
}

const notReady = (messages: readonly string[]): string =>
  messages.length === 0
    ? 'The case is not ready: its documents are still being read.'
    : `The case is not ready. ${messages.slice(0, 5).join(' ')}`;
