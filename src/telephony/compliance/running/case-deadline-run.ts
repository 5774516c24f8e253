import { tenantScopeOfRow } from '../../../foundation/access/index.ts';
import type { JobDefinition, JobQueue, RunningJob, Trx } from '../../../foundation/jobs/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { type Storage, withinTenant } from '../../../foundation/storage/index.ts';
import type { CaseService } from '../evidence/case-service.ts';
import { WORKER } from '../evidence/timeline.ts';
import { CASE_DEADLINE_QUEUE, type CaseJob, extractId } from './jobs.ts';

export interface CaseDeadlineDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly caseService: CaseService;
}

export class CaseDeadlineRun {
  readonly #deps: CaseDeadlineDeps;

  constructor(deps: CaseDeadlineDeps) {
    this.#deps = deps;
  }

  get definition(): JobDefinition {
    return {
      queue: CASE_DEADLINE_QUEUE,
      concurrency: 2,
      leaseMs: 30_000,
      run: (job) => this.run(job),
      onDead: async () => {},
    };
  }

  async run(job: RunningJob): Promise<void> {
    const of = job.payload as CaseJob;
    await job.complete((trx) => this.#ringing(trx, of));
  }

  async #ringing(trx: Trx, of: CaseJob): Promise<void> {
    const { queue, clock, caseService } = this.#deps;
    const scope = tenantScopeOfRow(of);
    const mine = withinTenant(trx, scope);
    const found = await mine
      .selectFrom('compliance_cases')
      .select(['state', 'clock_ends_at'])
      .where('id', '=', of.case)
      .executeTakeFirst();
    if (found?.state !== 'extracting') return;
    const late = await mine
      .updateTable('compliance_extractions')
      .set({
        status: 'failed',
        failure_reason: 'wall_clock_exceeded',
        cost_micros: 0,
        completed_at: clock.now(),
      })
      .where('case_id', '=', of.case)
      .where('status', 'in', ['queued', 'running'])
      .returning('id')
      .execute();
    for (const { id } of late) await queue.cancel(trx, extractId(id));
    const reason = 'The time limit of the case for processing has expired.';
    const detail = { extraction_ids: late.map(({ id }) => id) };
    await caseService.settle(trx, scope, of.case, { type: 'wall_clock.ran_out', by: WORKER, reason, detail });
  }
}
