import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { Engine, type EngineOptions, speechSettings } from '../../../src/media/engine/index.ts';
import { afterAll } from '../../helper-hooks.ts';
import { sharedEngine } from './shared-engine.ts';

const opened: Engine[] = [];
const byOptions = new Map<string, Engine>();
afterAll(() => {
  for (const engine of opened.splice(0)) engine.destroy();
  byOptions.clear();
});

function untilFileEnds(engine: Engine): Engine {
  opened.push(engine);
  return engine;
}

/** An engine with these options, for the test file alone. */
export function ownEngine(options: EngineOptions = {}): Engine {
  const settings = speechSettings(join(tmpdir(), 'trunkline-test-learnt'));
  const models = new Models().wholeFiles();
  return untilFileEnds(new Engine({ models, device: 'cpu', settings, ...options }));
}

/** One engine for all who ask for the same options in a test file; without options, that of the process. */
export function engineWith(options?: EngineOptions): Engine {
  const key = JSON.stringify(options ?? null);
  const open = () => (options === undefined ? untilFileEnds(sharedEngine()) : ownEngine(options));
  const engine = byOptions.get(key) ?? open();
  byOptions.set(key, engine);
  return engine;
}
