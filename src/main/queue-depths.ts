import type { JobQueue } from '../foundation/jobs/index.ts';
import type { Metrics } from '../foundation/platform/metrics.ts';

export const queueDepths = (queue: JobQueue): Parameters<Metrics['addGauge']>[0] => ({
  name: 'trunkline_queue_jobs',
  help: 'Number of durable jobs, by queue and state.',
  labelNames: ['queue', 'state'],
  read: async () =>
    (await queue.depths()).map(({ queue, state, jobs }) => ({ labels: { queue, state }, value: jobs })),
});
