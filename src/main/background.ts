import { type ComponentHealth, IdempotencyStore } from '../edge/server/index.ts';
import { BackgroundTasks } from '../foundation/platform/background-tasks.ts';
import type { Clock } from '../foundation/platform/clock.ts';
import type { Log } from '../foundation/platform/log.ts';
import type { Metrics } from '../foundation/platform/metrics.ts';
import type { CoreServices } from './main.ts';

/** A short outage of the database fails a run or two of each task, which the database's own part reports. */
const LASTING_FAILURES = 3;
const IDEMPOTENCY_TIMES = { everyMs: 3_600_000, firstMs: 5 * 60_000 };

/** Logs the first, second, fourth and eighth failure in a row, and so on, so that a lasting fault does not fill the log. */
const isLogged = (failures: number): boolean => Number.isInteger(Math.log2(failures));

export const openBackgroundTasks = (clock: Clock, log: Log): BackgroundTasks =>
  new BackgroundTasks({
    clock,
    onFailure: ({ task, error: err, failures }) => {
      if (isLogged(failures)) log.error({ err, task, failures }, 'a background task failed');
    },
    onRecovery: (task) => log.info({ task }, 'a background task succeeds again'),
  });

export function backgroundParts(background: BackgroundTasks): ComponentHealth[] {
  const failing = background.states().filter(({ failures }) => failures >= LASTING_FAILURES);
  const detail = failing
    .map(
      ({ task, failures, failingSinceMs }) =>
        `${task}: failing since ${new Date(failingSinceMs as number).toISOString()}, ${failures} times in a row`,
    )
    .join('; ');
  return [
    {
      name: 'background tasks',
      ready: true,
      required: false,
      ...(failing.length > 0 ? { degraded: true, detail } : {}),
    },
  ];
}

export const backgroundGauge = (background: BackgroundTasks): Parameters<Metrics['addGauge']>[0] => ({
  name: 'trunkline_background_task_failures',
  help: 'Failed runs of a background task since its last successful one.',
  labelNames: ['task'],
  read: async () => background.states().map(({ task, failures }) => ({ labels: { task }, value: failures })),
});

export function openIdempotencyStore({ storage, sharedClock, background }: CoreServices): IdempotencyStore {
  const store = new IdempotencyStore(storage, sharedClock);
  background.repeat('expired idempotency keys', () => store.deleteExpired(), IDEMPOTENCY_TIMES);
  return store;
}
