import { tenantScopeOfRow } from '../../../foundation/access/index.ts';
import type { JobDefinition, RunningJob } from '../../../foundation/jobs/index.ts';
import type { CaseService } from '../evidence/case-service.ts';
import { AGE_QUEUE, type CaseJob } from './jobs.ts';

export class AgeRun {
  readonly #caseService: CaseService;

  constructor({ caseService }: { readonly caseService: CaseService }) {
    this.#caseService = caseService;
  }

  get definition(): JobDefinition {
    return {
      queue: AGE_QUEUE,
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
