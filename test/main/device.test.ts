import { afterAll, expect, it } from 'vitest';
import { deviceFindings } from '../../src/apps/cli/doctor-device.ts';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import type { Log } from '../../src/foundation/platform/log.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { deviceGauge, engineParts, logDevices, openEngine } from '../../src/main/engine.ts';
import { type Engine, embedTexts } from '../../src/media/engine/index.ts';
import { SimulatedCuda } from './simulated-cuda.ts';

const engines: Engine[] = [];
const cuda = new SimulatedCuda();
afterAll(() => {
  for (const engine of engines) engine.destroy();
  cuda.remove();
});

const RECOGNITION = /^(silero-vad|smart-turn|whisper-base|moonshine-tiny-en)\//;

function open(environment: Record<string, string>, wanted = /^minilm/) {
  const config = loadConfig(environment);
  const whole = new Models({ root: config.models });
  const files = Object.entries(whole.wholeFiles()).filter(([name]) => wanted.test(name));
  const models = Object.assign(Object.create(whole) as Models, {
    wholeFiles: () => Object.fromEntries(files),
  });
  const warnings: unknown[] = [];
  const lines: { device?: string; models?: { name: string; device: string; reason: string }[] }[] = [];
  const log = {
    warn: (fields: object) => warnings.push(fields),
    info: (fields: object) => lines.push(fields),
    debug() {},
    error() {},
  } as unknown as Log;
  const engine = openEngine(config, models, log);
  engines.push(engine);
  return { config, engine, log, warnings, lines, device: () => engineParts(engine, config)[0]! };
}

it('says in log and readiness that a GPU which was asked for cannot serve', async () => {
  const { engine, warnings, device } = open({ TRUNKLINE_DEVICE: 'cuda' });
  expect(warnings).toContainEqual({
    wanted: 'cuda',
    reason: expect.stringContaining('TRUNKLINE_ORT_LIBRARY'),
  });
  await engine.prepared();
  // The first text opens the model.
  await embedTexts(engine, ['open'], { live: false });
  const part = device();
  expect(part).toMatchObject({
    name: 'device',
    wanted: 'cuda',
    ready: false,
    degraded: true,
    required: false,
  });
  expect(part.models!.length).toBeGreaterThan(0);
  expect(part.models).toEqual([
    { name: 'minilm-l6/model.onnx', device: 'cpu', reason: expect.stringContaining('not measured on a GPU') },
  ]);
}, 90_000);

it('is content with the processor where nothing else was asked for', async () => {
  const { engine, device, warnings } = open({});
  await engine.prepared();
  expect(device()).toMatchObject({ name: 'device', wanted: 'auto', ready: true });
  expect(device()).not.toHaveProperty('degraded');
  expect(warnings).not.toContainEqual(expect.objectContaining({ wanted: 'auto' }));
}, 90_000);

it('refuses to start where it may not fall back', () => {
  const strict = { TRUNKLINE_DEVICE: 'cuda', TRUNKLINE_DEVICE_STRICT: '1' };
  expect(() => open(strict)).toThrow(/TRUNKLINE_DEVICE_STRICT is set, and the GPU cannot serve/);
});

it('says of each model where it runs and why not elsewhere, in log, statistics, readiness and metrics', async () => {
  const { engine, log, lines, device } = open({ TRUNKLINE_ORT_LIBRARY: cuda.library }, RECOGNITION);
  const kinds = await engine.prepared();
  expect(kinds.find(({ name }) => name === 'hear')?.readiness).toBe('ready');
  const { models } = engine.stats();
  const where = Object.fromEntries(models.map(({ name, device }) => [name, device]));
  expect(where).toMatchObject({
    'smart-turn/smart-turn-v3.2.onnx': 'cuda',
    'silero-vad/silero_vad.onnx': 'cpu',
    'whisper-base/encoder.onnx': 'cpu',
    'whisper-base/decoder.onnx': 'cpu',
    'moonshine-tiny-en/encoder.ort': 'cpu',
    'moonshine-tiny-en/decoder.ort': 'cpu',
  });
  for (const { reason } of models) expect(reason).toMatch(/\w/);
  expect(device().models).toEqual(models.map(({ name, device, reason }) => ({ name, device, reason })));
  expect(lines).toEqual([]);
  await logDevices(engine, log);
  expect(lines).toEqual([{ device: 'cuda', models: device().models }]);
  const shown = await deviceGauge(engine).read();
  expect(shown).toContainEqual({
    labels: { model: 'smart-turn/smart-turn-v3.2.onnx', failed: 'false' },
    value: 1,
  });
  expect(shown).toContainEqual({
    labels: { model: 'silero-vad/silero_vad.onnx', failed: 'false' },
    value: 0,
  });
}, 90_000);

it('warns, names the model and is degraded where a CUDA build cannot open it', async () => {
  cuda.fail('open', 'libcublasLt.so.13: cannot open shared object file');
  const asked = { TRUNKLINE_ORT_LIBRARY: cuda.library, TRUNKLINE_DEVICE: 'cuda' };
  const { engine, warnings, device } = open(asked, RECOGNITION);
  await engine.prepared();
  await expect
    .poll(() => warnings)
    .toContainEqual({
      model: 'smart-turn/smart-turn-v3.2.onnx',
      wanted: 'cuda',
      reason: expect.stringContaining('libcublasLt.so.13'),
    });
  expect(device()).toMatchObject({ degraded: true, detail: expect.stringContaining('libcublasLt.so.13') });
}, 90_000);

it('lets doctor open the real graphs and count their nodes', () => {
  const config = loadConfig({ TRUNKLINE_DEVICE: 'cpu' });
  const findings = deviceFindings(config);
  expect(findings[1]).toMatchObject({ name: 'device cpu', works: true });
  const encoder = findings.find(({ name }) => name === 'model whisper-base/encoder.onnx');
  expect(encoder).toMatchObject({ works: true, required: false });
  expect(encoder!.detail).toMatch(
    /^on cpu: the device is set to cpu \(nodes: CPU \d{2,}; copies in a run: 0\)$/,
  );
  expect(findings.map(({ name }) => name)).not.toContain('model kokoro/kokoro.onnx');
}, 90_000);
