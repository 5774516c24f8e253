import { afterAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import type { Log } from '../../src/foundation/platform/log.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { engineParts, openEngine } from '../../src/main/engine.ts';
import type { Engine } from '../../src/media/engine/index.ts';

const engines: Engine[] = [];
afterAll(() => {
  for (const engine of engines) engine.destroy();
});

/** Of the library that comes with the product, which cannot serve a GPU; of models, the smallest alone. */
function open(environment: Record<string, string>) {
  const config = loadConfig(environment);
  const whole = new Models({ root: config.models });
  const files = Object.entries(whole.wholeFiles()).filter(([name]) => name.startsWith('minilm'));
  const models = Object.assign(Object.create(whole) as Models, {
    wholeFiles: () => Object.fromEntries(files),
  });
  const warnings: unknown[] = [];
  const log = { warn: (fields: object) => warnings.push(fields), debug() {}, error() {} } as unknown as Log;
  const engine = openEngine(config, models, log);
  engines.push(engine);
  return { config, engine, warnings, device: () => engineParts(engine, config)[0]! };
}

const isOpen = (engine: Engine) => engine.kinds().some(({ readiness }) => readiness === 'ready');

it('says in log and readiness that a GPU which was asked for cannot serve', async () => {
  const { engine, warnings, device } = open({ TRUNKLINE_DEVICE: 'cuda' });
  expect(warnings).toContainEqual({
    wanted: 'cuda',
    reason: expect.stringContaining('TRUNKLINE_ORT_LIBRARY'),
  });
  await expect.poll(() => isOpen(engine), { timeout: 60_000 }).toBe(true);
  const part = device();
  expect(part).toMatchObject({
    name: 'device',
    wanted: 'cuda',
    ready: false,
    degraded: true,
    required: false,
  });
  expect(part.models!.length).toBeGreaterThan(0);
  for (const model of part.models!)
    expect(model).toEqual({ name: expect.any(String), device: 'cpu', reason: expect.stringMatching(/./) });
}, 90_000);

it('is content with the processor where nothing else was asked for', async () => {
  const { engine, device, warnings } = open({});
  await expect.poll(() => isOpen(engine), { timeout: 60_000 }).toBe(true);
  expect(device()).toMatchObject({ name: 'device', wanted: 'auto', ready: true });
  expect(device()).not.toHaveProperty('degraded');
  expect(warnings).not.toContainEqual(expect.objectContaining({ wanted: 'auto' }));
}, 90_000);

it('refuses to start where it may not fall back', () => {
  const strict = { TRUNKLINE_DEVICE: 'cuda', TRUNKLINE_DEVICE_STRICT: '1' };
  expect(() => open(strict)).toThrow(/TRUNKLINE_DEVICE_STRICT is set, and the GPU cannot serve/);
});
