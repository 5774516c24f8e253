import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { prepareStarter } from '../codec/index.ts';
import { Engine, type EngineStats, speechSettings } from '../engine/index.ts';
import type { Config } from '../platform/config/index.ts';
import type { Log } from '../platform/log.ts';
import type { MetricSource } from '../platform/metrics.ts';
import type { Models } from '../platform/models/index.ts';
import type { Part } from '../server/index.ts';

const DEFAULT_LANES = 256;

/** The one engine of the process, with every model that is whole on this machine. */
/** What starts programs is started first, while this process is small. */
export function openEngine(config: Config, models: Models, log: Log): Engine {
  prepareStarter();
  return new Engine(
    {
      slots: config.maxLanes ?? DEFAULT_LANES,
      ...(config.engineThreads === null ? {} : { inferenceThreads: config.engineThreads }),
      library: config.ortLibrary,
      device: config.device,
      models: models.wholeFiles(),
      settings: speechSettings(learntFolder(models) ?? config.data),
    },
    {
      keptForLive: config.liveShare / 100,
      fault: (err) => log.error({ err }, 'a listener of the engine failed'),
      kind: (name, status, message) => {
        if (status === 'ok') log.debug({ kind: name }, 'ready');
        else log.warn({ kind: name, status, reason: message }, 'not ready');
      },
    },
  );
}

/** What is learnt of the models' voices lies beside the models, once for the machine, where that folder can be written. */
function learntFolder({ root }: Models): string | undefined {
  try {
    accessSync(root, constants.W_OK);
    return join(root, '.learnt');
  } catch {
    return undefined;
  }
}

/** Traffic waits until every kind works: its models are those that set-up always fetches. What needs none goes on meanwhile. */
export const engineParts = (engine: Engine): Part[] => [
  devicePart(engine.stats()),
  ...engine.kinds().map(({ name, readiness, problem }) => ({
    name: `engine ${name}`,
    ready: readiness === 'ready',
    opening: readiness === 'preparing',
    required: true,
    ...(problem ? { detail: problem } : {}),
  })),
];

const devicePart = ({ device, deviceFallback }: EngineStats): Part => ({
  name: `device ${device}`,
  ready: deviceFallback === '',
  required: false,
  ...(deviceFallback === '' ? {} : { detail: deviceFallback }),
});

const CLASSES = ['cut', 'firstAudio', 'partial', 'audio', 'offline'] as const;
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const engineNumbers =
  (engine: Engine): MetricSource =>
  () => {
    const stats = engine.stats();
    const numbers: Record<string, number> = {
      slots: stats.slots,
      lanes: stats.lanes,
      jobs: stats.jobs,
      capacity_millicores: stats.capacity,
      used_millicores: stats.used,
      pushes_total: stats.pushed,
      refused_pushes_total: stats.refused,
      stale_calls_total: stats.stale,
      drains_total: stats.drains,
      drained_bytes_total: stats.drainedBytes,
      wakes_total: stats.wakes,
      ticks_total: stats.ticks,
      missed_ticks_total: stats.missedTicks,
      tick_seconds_total: stats.tickMs / 1000,
      longest_tick_seconds: stats.longestTickMs / 1000,
      running_steps: stats.pool.running,
      batches_total: stats.pool.batches,
    };
    for (const [owner, bytes] of Object.entries(stats.memory))
      numbers[`memory_${snake(owner)}_bytes`] = bytes;
    for (const { name, counts } of engine.kinds())
      for (const [what, count] of Object.entries(counts)) numbers[`${name}_${what}`] = count;
    for (const name of CLASSES) {
      const { waiting, done, lastWaitMs } = stats.pool[name];
      numbers[`queue_${snake(name)}`] = waiting;
      numbers[`steps_${snake(name)}_total`] = done;
      numbers[`queue_${snake(name)}_wait_seconds`] = lastWaitMs / 1000;
    }
    return numbers;
  };
