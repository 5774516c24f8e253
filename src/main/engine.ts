import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { ComponentHealth } from '../edge/server/index.ts';
import type { NodeLoad, NodeRegistry } from '../foundation/nodes/index.ts';
import { type Config, ConfigError } from '../foundation/platform/config/index.ts';
import type { Log } from '../foundation/platform/log.ts';
import type { MetricSource, Metrics } from '../foundation/platform/metrics.ts';
import { installedGpuLibrary, type Models } from '../foundation/platform/models/index.ts';
import { prepareStarter } from '../media/codec/index.ts';
import { deviceReport, Engine, type EngineOptions, speechSettings } from '../media/engine/index.ts';
import { StyleLinks } from '../speech/added-models/index.ts';

const DEFAULT_LANES = 256;

export const engineOptions = (config: Config, models: Models): EngineOptions => ({
  slots: config.maxLanes ?? DEFAULT_LANES,
  ...(config.engineThreads === null ? {} : { inferenceThreads: config.engineThreads }),
  library: libraryOf(config, models),
  device: config.device,
  cudaDevice: config.cudaDevice,
  cudaMemoryMb: config.cudaMemoryMb ?? 0,
  cudaConvolutions: config.cudaConvSearch,
  models: new StyleLinks(config.data).withLinks(models.wholeFiles()),
  settings: {
    ...speechSettings(voiceStatisticsFolder(models) ?? config.data),
    'device.gather_ms': String(config.deviceBatchWaitMs),
    'device.timeout_ms': String(config.deviceTimeoutMs),
    'device.windows': String(config.deviceWindows),
  },
});

/** Child processes fork before the models load, while this process is small. */
export function openEngine(config: Config, models: Models, log: Log): Engine {
  prepareStarter();
  const refused = deviceProblem(config, libraryOf(config, models), log);
  const engine = new Engine(engineOptions(config, models), {
    liveReserve: config.liveShare / 100,
    fault: (err) => log.error({ err }, 'a subscriber to engine events failed'),
    kind: (name, status, message) => {
      if (status === 'ok') log.debug({ kind: name }, 'engine kind ready');
      else log.warn({ kind: name, status, reason: message }, 'engine kind not ready');
    },
    model: ({ name, device, reason, failed }) => {
      if (failed) log.warn({ model: name, wanted: config.device, reason }, 'a model runs on the CPU');
      else log.debug({ model: name, device, reason }, 'a model was opened');
    },
  });
  if (refused !== undefined) withoutGpu.set(engine, refused);
  return engine;
}

/** The configured library comes first, then an installed CUDA build; undefined selects that of onnxruntime-node. */
const libraryOf = (config: Pick<Config, 'ortLibrary' | 'device'>, { root }: Models): string | undefined =>
  config.ortLibrary ?? (config.device === 'cpu' ? undefined : installedGpuLibrary(root));

/** Returns whether models that are faster on a GPU run there. */
export const servesGpu = (config: Pick<Config, 'ortLibrary' | 'device' | 'cudaDevice'>, models: Models) =>
  config.device !== 'cpu' &&
  deviceReport({ device: 'auto', index: config.cudaDevice }, libraryOf(config, models)).device === 'cuda';

/** Logs one line, once every model is open. */
export async function logDevices(engine: Engine, log: Log): Promise<void> {
  await engine.prepared();
  const { device, models } = engine.stats();
  log.info(
    { device, models: models.map(({ name, device, reason }) => ({ name, device, reason })) },
    'the models are open',
  );
}

const withoutGpu = new WeakMap<Engine, string>();

/** An unusable GPU is reported before any model is opened; with `deviceStrict`, the server does not start. */
function deviceProblem(
  { device, cudaDevice, deviceStrict }: Config,
  library: string | undefined,
  log: Log,
): string | undefined {
  if (device !== 'cuda') return undefined;
  const { fallback, problem } = deviceReport({ device, index: cudaDevice }, library);
  const reason = fallback ?? problem;
  if (reason === undefined) return undefined;
  if (deviceStrict)
    throw new ConfigError([
      `TRUNKLINE_DEVICE is cuda, TRUNKLINE_DEVICE_STRICT is set, and the GPU cannot serve: ${reason}`,
    ]);
  log.warn({ wanted: device, reason }, 'the GPU cannot serve: models run on the CPU');
  return reason;
}

/** The voice statistics are stored once per machine next to the models, where that folder is writable. */
function voiceStatisticsFolder({ root }: Models): string | undefined {
  try {
    accessSync(root, constants.W_OK);
    return join(root, '.learnt');
  } catch {
    return undefined;
  }
}

/** Readiness waits for every kind of engine work, because set-up always fetches their models. */
export const engineParts = (
  engine: Engine,
  config: Pick<Config, 'device' | 'deviceStrict'>,
): ComponentHealth[] => [
  devicePart(engine, config),
  ...engine.kinds().map(({ name, readiness, problem }) => ({
    name: `engine ${name}`,
    ready: readiness === 'ready',
    opening: readiness === 'preparing',
    required: true,
    ...(problem ? { detail: problem } : {}),
  })),
];

function devicePart(engine: Engine, config: Pick<Config, 'device' | 'deviceStrict'>): ComponentHealth {
  const { deviceFallback, models } = engine.stats();
  const reason = deviceFallback || withoutGpu.get(engine);
  const fell = reason !== undefined && reason !== '';
  return {
    name: 'device',
    ready: !fell,
    required: config.deviceStrict,
    ...(fell ? { degraded: true, detail: reason } : {}),
    wanted: config.device,
    models: models.map(({ name, device, reason }) => ({ name, device, reason })),
  };
}

export const deviceGauge = (engine: Engine): Parameters<Metrics['addGauge']>[0] => ({
  name: 'trunkline_model_on_gpu',
  help: '1 if the model runs on a GPU, 0 if it runs on the CPU. The label `failed` is true if the GPU was tried and failed.',
  labelNames: ['model', 'failed'],
  read: async () =>
    engine.stats().models.map(({ name, device, failed }) => ({
      labels: { model: name, failed: String(failed) },
      value: device === 'cuda' ? 1 : 0,
    })),
});

const CLASSES = ['turnTaking', 'firstAudio', 'partial', 'audio', 'offline'] as const;
/** The former name of a class of steps stays in its metrics until the next version. */
const FORMER_NAMES: Readonly<Record<string, readonly string[]>> = { turnTaking: ['cut'] };
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** How many more agent calls fit on this node, and how many an idle one takes. */
export const callLoad = (engine: Engine, isDraining: () => boolean) => (): NodeLoad => {
  const { free, total } = engine.laneCapacity('omni');
  return { free: isDraining() ? 0 : free, capacity: total };
};

/** Autoscaling uses the figure `cluster_free`: the sum over all nodes. */
export const callNumbers =
  (load: () => NodeLoad, nodes: NodeRegistry): MetricSource =>
  () => ({ ...load(), cluster_free: nodes.clusterFree() });

/** /readyz shows the operator how many calls fit; a full node is ready, because its calls go on. */
export function loadParts(load: () => NodeLoad, nodes: NodeRegistry): ComponentHealth[] {
  const { free, capacity } = load();
  const detail = `${free} of ${capacity} calls fit on this node, ${nodes.clusterFree()} on all nodes`;
  return [
    { name: 'calls', ready: true, required: false, detail, calls_free: free, calls_capacity: capacity },
  ];
}

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
    };
    for (const [owner, bytes] of Object.entries(stats.memory))
      numbers[`memory_${snake(owner)}_bytes`] = bytes;
    for (const { name, counts } of engine.kinds())
      for (const [what, count] of Object.entries(counts)) numbers[`${name}_${what}`] = count;
    for (const name of CLASSES) {
      const { waiting, done, lastWaitMs } = stats.pool[name];
      for (const metric of [snake(name), ...(FORMER_NAMES[name] ?? [])]) {
        numbers[`queue_${metric}`] = waiting;
        numbers[`steps_${metric}_total`] = done;
        numbers[`queue_${metric}_wait_seconds`] = lastWaitMs / 1000;
      }
    }
    return numbers;
  };
