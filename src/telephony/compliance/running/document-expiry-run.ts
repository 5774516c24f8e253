import { tenantScopeOfRow } from '../../../foundation/access/index.ts';
import type { JobDefinition, RunningJob } from '../../../foundation/jobs/index.ts';
import type { CaseService } from '../evidence/case-service.ts';
import { type CaseJob, DOCUMENT_EXPIRY_QUEUE } from './jobs.ts';

export class DocumentExpiryRun {
  readonly #caseService: CaseService;

  constructor({ caseService }: { readonly caseService: CaseService }) {
    this.#caseService = caseService;
  }

  get definition(): JobDefinition {
    return {
      queue: DOCUMENT_EXPIRY_QUEUE,
      concurrency: 2,
      leaseMs: 30_000,
      run: (job) => this.run(job),
      onDead: async () => {},
    };
  }

  async run(job: RunningJob): Promise<void> {
    const of = job.payload as CaseJob;
    await job.complete(
      async (trx) => void (await this.#caseService.catchUp(trx, tenantScopeOfRow(of), of.case)),
    );
  }
}
