/**
 * Opening the models takes ten seconds of the processor. Every file that a process runs uses one engine, which has
 * them open; what a user of it left open ends with his handle.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { createLog, type Log } from '../../../src/foundation/platform/log.ts';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { engineOptions, openEngine, servesGpu } from '../../../src/main/engine.ts';
import { type Engine, EngineStatus, type Job, type Lane } from '../../../src/media/engine/index.ts';

const silent = createLog({ level: 'silent' });
let usual: { readonly config: Config; readonly key: string } | undefined;
let whole: Engine | undefined;

/** An engine as the product opens it on a machine without a GPU. `destroy` ends this user's lanes and jobs alone. */
export function sharedEngine(): Engine {
  usual ??= usualConfig();
  whole ??= openEngine(usual.config, new Models(), silent);
  return handleOf(whole);
}

/** The shared engine where it is the one that this configuration asks for, or one of its own. */
export function engineOf(config: Config, log: Log = silent): Engine {
  usual ??= usualConfig();
  const models = new Models({ root: config.models });
  return keyOf(config, models) === usual.key ? sharedEngine() : openEngine(config, models, log);
}

function usualConfig() {
  const data = mkdtempSync(join(tmpdir(), 'shared-engine-'));
  const config = loadConfig({ TRUNKLINE_DATA: data, TRUNKLINE_DEVICE: 'cpu' });
  return { config, key: keyOf(config, new Models()) };
}

/** Without a GPU, `auto` is the processor. Voice styles that an operator adds are in a folder of his server's own. */
function keyOf(config: Config, models: Models): string {
  const device = config.device === 'auto' && !servesGpu(config, models) ? 'cpu' : config.device;
  const options = engineOptions({ ...config, device }, models);
  return JSON.stringify([{ ...options, models: models.root }, config.liveShare]);
}

function handleOf(engine: Engine): Engine {
  const lanes = new Set<Lane>();
  const jobs = new Set<Job>();
  let isOver = false;
  const own = {
    open: (...options: Parameters<Engine['open']>) => {
      const lane = engine.open(...options);
      for (const one of lanes) if (!one.open) lanes.delete(one);
      lanes.add(lane);
      return lane;
    },
    submit: (...options: Parameters<Engine['submit']>) => {
      const job = engine.submit(...options);
      jobs.add(job);
      const ended = () => void jobs.delete(job);
      job.done.then(ended, ended);
      return job;
    },
    destroy: () => {
      isOver = true;
      for (const lane of lanes) {
        lane.drop();
        lane.end('closed');
      }
      for (const job of jobs) {
        job.finish(EngineStatus.closed, 'the engine was destroyed');
        job.cancel();
      }
      lanes.clear();
    },
  };
  return new Proxy(engine, {
    get: (target, name) => {
      if (name === 'destroyed') return isOver;
      if (name in own) return own[name as keyof typeof own];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
