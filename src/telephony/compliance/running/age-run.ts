import { reachOfRow } from '../../../foundation/access/index.ts';
import type { JobDefinition, RunningJob } from '../../../foundation/jobs/index.ts';
import type { CaseDesk } from '../evidence/desk.ts';
import { AGE_QUEUE, type CaseJob } from './orders.ts';

/** The day on which a document of a case that is ready grows too old: the case is for a person again. */
export class AgeRun {
  readonly #desk: CaseDesk;

  constructor({ desk }: { readonly desk: CaseDesk }) {
    this.#desk = desk;
  }

  get definition(): JobDefinition {
    return {
      queue: AGE_QUEUE,
      concurrency: 2,
      leaseMs: 30_000,
      run: (job) => this.run(job),
      died: async () => {},
    };
  }

  async run(job: RunningJob): Promise<void> {
    const of = job.payload as CaseJob;
    await job.complete(async (trx) => void (await this.#desk.catchUp(trx, reachOfRow(of), of.case)));
  }
}
