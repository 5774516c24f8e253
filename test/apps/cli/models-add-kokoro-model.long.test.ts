// @requirement Models: A Kokoro of other weights speaks with its own voices in Speak and Cast, and a damaged one leaves nothing behind.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { Engine, speechSettings, synthesizeJob } from '../../../src/media/engine/index.ts';
import { type AddedKokoro, AddedModels } from '../../../src/speech/added-models/index.ts';
import { addedVoices, StockVoices, stockVoice } from '../../../src/speech/voices/index.ts';
import { HubServer } from '../../speech/added-models/hub-server.ts';
import { kokoroGraph } from '../../speech/added-models/kokoro-graph.ts';
import { absent } from '../../speech/added-models/piper-voice.ts';
import { outputOf } from './output-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'trunkline-kokoro-model-'));
const data = join(folder, 'data');
const added = new AddedModels(data);
const voices = new StockVoices(undefined, addedVoices(added));
let hub: HubServer;
let whole = '';

beforeAll(async () => {
  if (absent) return;
  hub = await HubServer.start();
  whole = await kokoroGraph(join(folder, 'Kokoro-Ours'), 'whole');
}, 240_000);
afterAll(() => {
  hub?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const models = (...args: string[]) =>
  outputOf(['models', ...args], {
    TRUNKLINE_DATA: data,
    TRUNKLINE_LOG_LEVEL: 'silent',
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
    HF_ENDPOINT: hub.endpoint,
    ...(process.env.TRUNKLINE_MODELS ? { TRUNKLINE_MODELS: process.env.TRUNKLINE_MODELS } : {}),
  });
const left = (): string[] =>
  existsSync(join(data, 'models')) ? readdirSync(join(data, 'models')).sort() : [];
const filesIn = (root: string) =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(root.length + 1), { bytes: readFileSync(path) }]),
  );

describe.skipIf(absent)('a Kokoro that is added', () => {
  it('comes from a repository with its voices, and speaks as the bundled one of the same weights', async () => {
    const others = {
      'onnx/model_q4.onnx': { bytes: Buffer.alloc(5000, 7) },
      'voices/af_heart.pt': { bytes: Buffer.from('PK\u0003\u0004a tensor') },
    };
    hub.repositories.set('me/Kokoro-Ours', {
      licence: 'apache-2.0',
      files: { ...filesIn(whole), ...others },
    });
    const { code, out, error } = await models('add', 'hf:me/Kokoro-Ours:onnx/model.onnx', '--yes');
    expect({ code, error: error.match(/error.*/)?.[0] }).toEqual({ code: 0, error: undefined });
    expect(out).toContain('licence   apache-2.0');
    expect(out).toMatch(/size {6}5 files, \d+ MB/);
    expect(out).toContain('kokoro_ours: Kokoro of other weights, 2 voices, en, added');
    expect(out).toContain('heard     "The river runs along the old wall, where people walk in the evening."');
    expect(out).toMatch(/measured {2}real-time factor \d+(\.\d+)?, \d+ MB of memory/);
    expect(out).toContain('voices    kokoro_ours_af_heart, kokoro_ours_bm_george');
    expect(hub.requests.some(({ path }) => /q4|\.pt/.test(path))).toBe(false);
    const model = added.find('kokoro_ours') as AddedKokoro;
    expect(model.files.map(({ path }) => path).filter((path) => !path.startsWith('x_'))).toEqual([
      'graph.onnx',
      'vocab.json',
      'voices.json',
    ]);
    expect(voices.find('kokoro_ours_bm_george')).toMatchObject({
      language: 'en',
      region: 'gb',
      gender: 'male',
      available_on: ['speak', 'cast'],
    });
    expect((await models('verify')).out).toContain('kokoro_ours: every file matches');

    const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(data) });
    try {
      await engine.prepared();
      const say = async (name: string, speed = 1) => {
        const voice = { ...stockVoice(voices.resolve(name)).engine, manner: { speed } };
        const options = { voice, rate: 24_000, format: 'pcm16', whole: true } as const;
        const text = Buffer.from('Good morning, this is the front desk. How can I help you today?');
        const bytes = Buffer.from(await engine.submit(synthesizeJob, options, text).result());
        return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      };
      const [ours, theirs] = [await say('heart_en_us'), await say('kokoro_ours')];
      const seconds = (samples: Int16Array) => samples.length / 24_000;
      expect(seconds(theirs)).toBeGreaterThan(2);
      expect(Math.abs(seconds(theirs) - seconds(ours))).toBeLessThan(0.3);
      expect(Math.abs(levelOf(theirs) - levelOf(ours))).toBeLessThan(2);
      expect(seconds(await say('kokoro_ours', 0.7))).toBeGreaterThan(1.25 * seconds(theirs));
    } finally {
      engine.destroy();
    }
  }, 300_000);

  it('comes from a folder, or from the file of its graph', async () => {
    const { code, out } = await models('add', join(whole, 'onnx/model.onnx'), '--as', 'of_file', '--yes');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('licence   apache-2.0') });
    expect(added.find('of_file')?.files).toEqual(added.find('kokoro_ours')?.files);
    expect((await models('remove', 'of_file')).code).toBe(0);
    expect((await models('list')).out).toMatch(/kokoro_ours .*apache-2\.0.* \[en\]: Kokoro of other weights/);
    expect(await models('use', 'kokoro_ours_bm_george')).toMatchObject({
      code: 1,
      error: expect.stringContaining('kokoro_ours_bm_george is not offered in calls'),
    });
    expect((await models('remove', 'kokoro_ours')).code).toBe(0);
    expect(left()).toEqual([]);
    expect(added.voiceRules).toEqual([]);
    expect(voices.find('kokoro_ours')).toBe(undefined);
  }, 240_000);

  it('is refused where it is damaged or its files do not belong together, and nothing of it stays', async () => {
    const voiceless = await kokoroGraph(join(folder, 'voiceless'), 'whole');
    rmSync(join(voiceless, 'voices'), { recursive: true });
    const cut = await kokoroGraph(join(folder, 'cut'), 'whole');
    truncateSync(join(cut, 'voices/bm_george.bin'), 510 * 256 * 2);
    const cases: [string, string][] = [
      [await kokoroGraph(join(folder, 'silent'), 'silent'), 'the voice is silent'],
      [await kokoroGraph(join(folder, 'fixed'), 'fixed'), 'it has to leave their number open'],
      [await kokoroGraph(join(folder, 'other'), 'other'), 'they belong to different models'],
      [voiceless, 'it is a Kokoro without voices'],
    ];
    for (const [source, message] of cases) {
      const { code, error } = await models('add', source, '--as', 'refused', '--yes');
      expect({ source: basename(source), code, error }).toMatchObject({
        code: 1,
        error: expect.stringContaining(message),
      });
      expect(left(), source).toEqual([]);
    }
  }, 400_000);
});

/** In decibels, of what is not silent. */
function levelOf(samples: Int16Array): number {
  const loud = samples.filter((sample) => Math.abs(sample) > 300);
  const power = loud.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, loud.length);
  return 10 * Math.log10(Math.max(1, power));
}
