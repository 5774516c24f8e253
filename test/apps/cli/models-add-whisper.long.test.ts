import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceFindings } from '../../../src/apps/cli/doctor-device.ts';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import {
  Engine,
  openRecognizerJob,
  type RecognitionNeed,
  readOpenedRecognizer,
  speechSettings,
  synthesizeJob,
  transcribeRecording,
} from '../../../src/media/engine/index.ts';
import {
  type AddedModel,
  AddedModels,
  type AddedRecognizer,
  Recognizers,
  type ServingRule,
  withRule,
} from '../../../src/speech/added-models/index.ts';
import { StockVoices, stockVoice } from '../../../src/speech/voices/index.ts';
import { long, sampleOf } from '../../long-tests.ts';
import { SimulatedCuda } from '../../main/simulated-cuda.ts';
import { until } from '../../poll.ts';
import { HubServer } from '../../speech/added-models/hub-server.ts';
import { absent } from '../../speech/added-models/piper-voice.ts';
import { convertWhisper, whisperWeights, writeWhisper } from '../../speech/added-models/whisper-weights.ts';
import { outputOf } from './output-of.ts';

const SENTENCE = 'The river runs along the old wall, where people walk in the evening.';
/** `TRUNKLINE_TEST_WHISPERS=small,large-v3-turbo` builds these too; the large ones take minutes and gigabytes each. */
const LARGE = (process.env.TRUNKLINE_TEST_WHISPERS ?? '').split(',').filter((name) => name !== '');

const folder = mkdtempSync(join(tmpdir(), 'trunkline-whisper-'));
const data = join(folder, 'data');
const added = new AddedModels(data);
let hub: HubServer;
let ct2 = '';

beforeAll(async () => {
  if (absent) return;
  hub = await HubServer.start();
  ct2 = await whisperWeights();
  await writeWhisper(join(folder, 'transformers'), 'transformers');
  await writeWhisper(join(folder, 'ggml-f16'), 'ggml-f16');
}, 300_000);
afterAll(() => {
  hub?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function models(...args: string[]) {
  const environment = {
    TRUNKLINE_DATA: data,
    TRUNKLINE_LOG_LEVEL: 'silent',
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
    HF_ENDPOINT: hub.endpoint,
    ...(process.env.TRUNKLINE_MODELS ? { TRUNKLINE_MODELS: process.env.TRUNKLINE_MODELS } : {}),
  };
  return await outputOf(['models', ...args], environment);
}

const written = async (form: string): Promise<string> =>
  existsSync(join(folder, form)) ? join(folder, form) : await writeWhisper(join(folder, form), form);

const left = (): string[] =>
  (existsSync(join(data, 'models')) ? readdirSync(join(data, 'models')) : []).sort();
const hashes = (model: AddedModel | undefined): Record<string, string> =>
  Object.fromEntries((model?.files ?? []).map(({ path, sha256 }) => [path, sha256]));
const pinned = (): Record<string, string> =>
  Object.fromEntries(
    (new Models().list.find(({ id }) => id === 'whisper-base')?.files ?? []).map(({ path, sha256 }) => [
      basename(path),
      sha256,
    ]),
  );

describe.skipIf(absent)('a Whisper that is added', () => {
  it('has the graphs and tokens of the pinned one, from the files of CTranslate2', async () => {
    const { code, out, error } = await models('add', ct2, '--as', 'of_ct2', '--yes');
    expect({ code, error: error.match(/error.*/)?.[0] }).toEqual({ code: 0, error: undefined });
    expect(out).toContain('of_ct2: Whisper base, multilingual, 80 mel bands, 6 + 6 layers, added');
    expect(out).toContain(`heard     "${SENTENCE}"`);
    const { 'facts.json': _, ...files } = hashes(added.find('of_ct2'));
    expect(pinned()).toMatchObject(files);
    expect(Object.keys(files).sort()).toEqual(['decoder.onnx', 'encoder.onnx', 'tokens.bin', 'whisper.conf']);
    const { measured } = added.find('of_ct2') as AddedRecognizer;
    expect(measured.realTimeFactor).toBeGreaterThan(0);
    expect(measured.memoryBytes).toBeGreaterThan(50_000_000);
  }, 240_000);

  it('has them from a repository of transformers, which has the weights in other forms too', async () => {
    const from = join(folder, 'transformers');
    const files = Object.fromEntries(
      readdirSync(from).map((name) => [name, { bytes: readFileSync(join(from, name)) }]),
    );
    const other = { 'pytorch_model.bin': { bytes: Buffer.from('PK\u0003\u0004weights') } };
    hub.repositories.set('openai/whisper-base', { licence: 'apache-2.0', files: { ...files, ...other } });
    const { code, out, error } = await models('add', 'hf:openai/whisper-base', '--yes');
    expect({ code, error: error.match(/error.*/)?.[0] }).toEqual({ code: 0, error: undefined });
    expect(out).toContain('licence   apache-2.0');
    const { 'facts.json': _, ...made } = hashes(added.find('whisper_base'));
    expect(pinned()).toMatchObject(made);
  }, 240_000);

  it('has them from the parts of transformers, and from a file of whisper.cpp alone', async () => {
    for (const form of ['parts', 'ggml-f16']) {
      const from = await written(form);
      const out = join(folder, `${form}-out`);
      await convertWhisper(from, out);
      const stock = new Models().path('whisper-base/encoder.onnx');
      for (const name of ['encoder.onnx', 'decoder.onnx', 'tokens.bin', 'whisper.conf'])
        expect(
          readFileSync(join(out, name)).equals(readFileSync(join(stock, '..', name))),
          `${form} ${name}`,
        ).toBe(true);
    }
  }, 240_000);

  it('is understood from the blocks of whisper.cpp', async () => {
    const from = await writeWhisper(join(folder, 'q5'), 'ggml-q5_1');
    const { code, out, error } = await models('add', join(from, 'ggml-base.bin'), '--as', 'q5', '--yes');
    expect({ code, error: error.match(/error.*/)?.[0] }).toEqual({ code: 0, error: undefined });
    expect(wordsOf(out.match(/heard {5}"(.*)"/)?.[1] ?? '')).toEqual(wordsOf(SENTENCE));
    expect(added.find('q5')).toMatchObject({ kind: 'whisper', recognizer: { format: 'whisper.cpp' } });
    const forms = sampleOf(['ggml-f16', 'ggml-q8_0', 'ggml-q5_0', 'ggml-q4_0', 'ggml-q4_1', 'ggml-f32'], 4);
    for (const form of forms) await convertWhisper(await written(form), join(folder, `${form}-out`));
    const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(data) });
    try {
      await engine.prepared();
      const voice = stockVoice(new StockVoices().resolve('joe_en_us')).engine;
      const options = { voice, rate: 16_000, format: 'pcm16', seed: 3 } as const;
      const pcm = await engine.submit(synthesizeJob, options, Buffer.from(SENTENCE)).result();
      const heard = async (recognizer?: string) => {
        const texts: string[] = [];
        const how = { language: 'en' as const, ...(recognizer === undefined ? {} : { recognizer }) };
        for await (const { segment } of transcribeRecording(engine, once(pcm), how))
          if (segment) texts.push(segment.text);
        return texts.join(' ');
      };
      const stock = await heard();
      expect(stock).toBe(SENTENCE);
      for (const form of forms) {
        const recognizer = join(folder, `${form}-out`);
        await expect(heard(recognizer)).rejects.toThrow();
        await engine.submit(openRecognizerJob, { recognizer }, new Uint8Array()).result();
        const text = await heard(recognizer);
        if (form === 'ggml-f16' || form === 'ggml-f32') expect(text, form).toBe(stock);
        else expect(wordsOf(text), form).toEqual(wordsOf(stock));
      }
    } finally {
      await engine.destroy();
    }
  }, 500_000);

  it('opens in the sizes that its weights have, random as these are', async () => {
    const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(data) });
    try {
      await engine.prepared();
      const costs: number[] = [];
      const forms = {
        tiny: 'random',
        'tiny.en': 'random',
        'small-128': 'random',
        ...(long ? { 'tiny-128': 'transformers' } : {}),
      };
      for (const name of [...Object.keys(forms), ...LARGE]) {
        const form = (forms as Record<string, string>)[name] ?? 'transformers';
        const from = await writeWhisper(join(folder, name), `${form}-${name}`);
        const recognizer = join(folder, `${name}-out`);
        const arrived = bytesIn(from);
        const began = performance.now();
        await convertWhisper(from, recognizer);
        const seconds = (performance.now() - began) / 1000;
        rmSync(from, { recursive: true });
        const memory = residentBytes();
        const opened = readOpenedRecognizer(
          await engine.submit(openRecognizerJob, { recognizer }, new Uint8Array()).result(),
        );
        expect(opened).toMatchObject(SHAPES[name] ?? {});
        costs.push(opened.finalSeconds);
        const noise = Buffer.alloc(2 * 32_000);
        for (let at = 0; at < noise.length; at += 2) noise.writeInt16LE(Math.sin(at) * 8000, at);
        for await (const _ of transcribeRecording(engine, once(noise), { language: 'en', recognizer }));
        // An operator sizes a machine by these figures: docs/guides/models.md has them.
        console.info(
          `| ${name} | ${megabytes(arrived)} | ${megabytes(bytesIn(recognizer))} | ${seconds.toFixed(0)} s | ${megabytes(residentBytes() - memory)} | ${opened.finalSeconds.toFixed(2)} s |`,
        );
        if (LARGE.includes(name)) rmSync(recognizer, { recursive: true });
      }
      // Admission counts a larger model as more work.
      expect(costs[2]).toBeGreaterThan(2 * (costs[0] as number));
      const french = { language: 'fr' as const, recognizer: join(folder, 'tiny.en-out') };
      await expect(async () => {
        for await (const _ of transcribeRecording(engine, once(Buffer.alloc(64_000)), french));
      }).rejects.toThrow();
    } finally {
      await engine.destroy();
    }
  }, 540_000);

  it('runs on a GPU in the sizes that its weights have, and on the processor once that fails', async () => {
    const cuda = new SimulatedCuda();
    const engine = new Engine({
      models: new Models().wholeFiles(),
      library: cuda.library,
      device: 'auto',
      settings: { ...speechSettings(data), 'device.windows': '4', 'device.gather_ms': '50' },
    });
    const place = join(folder, 'on-gpu');
    const size = long ? 'small-128' : 'tiny';
    const forms = { base: ct2, [size]: await writeWhisper(join(folder, 'gpu'), `random-${size}`) };
    try {
      await engine.prepared();
      const voice = stockVoice(new StockVoices().resolve('joe_en_us')).engine;
      const pcm = await engine
        .submit(synthesizeJob, { voice, rate: 16_000, format: 'pcm16', seed: 3 }, Buffer.from(SENTENCE))
        .result();
      const heard = async (recognizer: string) => {
        const texts: string[] = [];
        for await (const { segment } of transcribeRecording(engine, once(pcm), {
          language: 'en',
          recognizer,
        }))
          if (segment) texts.push(segment.text);
        return texts.join(' ');
      };
      const counts = () => engine.kinds().find(({ name }) => name === 'hear')!.counts;
      const graphs = (name: string) =>
        engine.stats().models.filter((model) => model.name.startsWith(`added/${name}/`));
      const opened: Record<string, string> = {};
      for (const [name, from] of Object.entries(forms)) {
        const recognizer = join(place, 'models', name, 'digest');
        mkdirSync(join(recognizer, '..'), { recursive: true });
        await convertWhisper(from, recognizer, 'gpu');
        const { finalSeconds } = readOpenedRecognizer(
          await engine.submit(openRecognizerJob, { recognizer }, new Uint8Array()).result(),
        );
        expect(finalSeconds).toBeGreaterThan(0);
        expect(graphs(name).map((graph) => graph.name)).toEqual([
          `added/${name}/gpu-decoder.onnx`,
          `added/${name}/gpu-encoder.onnx`,
        ]);
        for (const { device, failed } of graphs(name))
          expect({ device, failed }).toEqual({ device: 'cuda', failed: false });
        const before = counts();
        const alone = await heard(recognizer);
        const between = counts();
        expect(between.gpu_batches_total).toBeGreaterThan(before.gpu_batches_total as number);
        opened[name] = recognizer;
        // Random weights write what rounding decides.
        if (name !== 'base') continue;
        expect(alone).toBe(SENTENCE);
        expect(await Promise.all([heard(recognizer), heard(recognizer)])).toEqual([SENTENCE, SENTENCE]);
      }
      const like = added.find('of_ct2') as AddedRecognizer;
      const files = ['gpu-encoder.onnx', 'gpu-decoder.onnx', 'encoder.onnx'].map((path) => ({
        path,
        sha256: '',
        bytes: statSync(join(opened.base as string, path)).size,
      }));
      new AddedModels(place).add({ ...like, name: 'base', folder: 'base/digest', files });
      const config = loadConfig({ TRUNKLINE_DATA: place, TRUNKLINE_ORT_LIBRARY: cuda.library });
      const found = deviceFindings(config).filter(({ name }) => name.includes('added/'));
      expect(found.map(({ name }) => name)).toEqual([
        'model added/base/gpu-decoder.onnx',
        'model added/base/gpu-encoder.onnx',
      ]);
      for (const { works, detail } of found) {
        expect(works).toBe(true);
        expect(detail).toMatch(/^on cuda: .* \(nodes: CPU \d{3,}; copies in a run: 0\)$/);
      }
      cuda.fail('run', 'CUDA error 700: an illegal memory access was encountered');
      expect(await heard(opened.base as string)).toBe(SENTENCE);
      for (const graph of graphs('base')) expect(graph).toMatchObject({ device: 'cpu', failed: true });
      // A closed model is reported no longer.
      await engine.submit(openRecognizerJob, { keep: [opened.base as string] }, new Uint8Array()).result();
      expect(graphs(size)).toEqual([]);
      expect(graphs('base')).toHaveLength(2);
    } finally {
      await engine.destroy();
      cuda.remove();
    }
  }, 500_000);

  it('serves where the operator’s rules say, by language, plan and name', async () => {
    const place = join(folder, 'rules');
    const models = new AddedModels(place);
    for (const name of ['tiny', 'english']) {
      const from = join(folder, name === 'tiny' ? 'tiny-out' : 'tiny.en-out');
      const files = readdirSync(from).map((path) => ({
        path,
        sha256: '',
        bytes: statSync(join(from, path)).size,
      }));
      mkdirSync(join(place, 'models'), { recursive: true });
      cpSync(from, join(place, 'models', name), { recursive: true });
      const recognizer = { ...(added.find('of_ct2') as AddedRecognizer).recognizer };
      models.add({
        ...(added.find('of_ct2') as AddedRecognizer),
        name,
        folder: name,
        files,
        recognizer: { ...recognizer, englishOnly: name === 'english' },
      });
    }
    const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(data) });
    const failures: unknown[] = [];
    try {
      await engine.prepared();
      const recognizers = new Recognizers(engine, models, (error) => failures.push(error));
      const chosen = (need: RecognitionNeed) => recognizers.choose(need)?.name ?? null;
      expect(recognizers.names).toEqual(['whisper-base', 'tiny', 'english']);
      expect(chosen({ language: 'en', name: 'tiny' })).toBe(null);
      models.useRecognition(
        [
          { language: 'en', use: ['english'] },
          { plan: 'business', use: ['tiny'] },
          { language: 'de', plan: 'business', use: ['whisper-base'] },
          { device: 'cuda', use: ['tiny'] },
        ].reduce(withRule, [] as readonly ServingRule[]),
      );
      // The stock one serves until the others are open.
      expect(chosen({ language: 'en' })).toBe(null);
      await until(() => chosen({ language: 'en' }) !== null && chosen({ plan: 'business' }) !== null);
      expect(chosen({ language: 'en' })).toBe('english');
      expect(chosen({ language: 'en', languages: ['en', 'fr'] })).toBe(null);
      expect(chosen({ language: 'fr', name: 'english' })).toBe(null);
      expect(chosen({})).toBe(null);
      expect(chosen({ plan: 'business' })).toBe('tiny');
      expect(chosen({ language: 'fr', plan: 'business' })).toBe('tiny');
      expect(chosen({ language: 'de', plan: 'business' })).toBe(null);
      expect(chosen({ language: 'fr', plan: 'free' })).toBe(null);
      // A name holds where the plan allows it.
      expect(chosen({ language: 'en', plan: 'business', name: 'tiny' })).toBe('tiny');
      expect(chosen({ language: 'fr', plan: 'business', name: 'whisper-base' })).toBe(null);
      // The engine closes a removed one, and the stock one serves.
      const { folder: english } = recognizers.choose({ language: 'en' }) as { folder: string };
      const how = { language: 'en' as const, recognizer: english };
      for await (const _ of transcribeRecording(engine, once(Buffer.alloc(64_000)), how));
      models.remove('english');
      expect(chosen({ language: 'en' })).toBe(null);
      await until(async () => {
        try {
          for await (const _ of transcribeRecording(engine, once(Buffer.alloc(64_000)), how));
          return false;
        } catch {
          return true;
        }
      });
      expect(failures).toEqual([]);
    } finally {
      await engine.destroy();
    }
  }, 240_000);

  it('is refused where its files are damaged or lie, and nothing of it stays', async () => {
    const before = left();
    const source = join(folder, 'transformers');
    const put = (name: string, change: (to: string) => void) => {
      const to = join(folder, `wrong-${name}`);
      mkdirSync(to);
      for (const file of readdirSync(source)) copyFileSync(join(source, file), join(to, file));
      change(to);
      return to;
    };
    const config = (to: string, change: object) => {
      const path = join(to, 'config.json');
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
    };
    const weights = (to: string) => join(to, 'model.safetensors');
    const ggml = (name: string, change: (bytes: Buffer) => Buffer) => {
      const to = join(folder, `wrong-${name}.bin`);
      writeFileSync(to, change(readFileSync(join(folder, 'ggml-f16/ggml-base.bin'))));
      return to;
    };
    const cases: [string, string][] = [
      [put('cut', (to) => truncateSync(weights(to), 90_000_000)), 'ends inside the weight'],
      [put('layers', (to) => config(to, { encoder_layers: 12 })), 'states 12 layers of the encoder'],
      [put('heads', (to) => config(to, { decoder_attention_heads: 4 })), 'said to have 4 heads'],
      [
        put('bert', (to) => config(to, { model_type: 'bert' })),
        'an embedding model without a whole ONNX graph',
      ],
      [put('moon', (to) => config(to, { model_type: 'moonshine' })), 'tokenizer.json'],
      [
        put('other', (to) => config(to, { model_type: 'resnet' })),
        'of the kind resnet, and not of a Whisper',
      ],
      [put('alone', (to) => rmSync(join(to, 'config.json'))), 'no config.json of a Whisper'],
      [put('mute', (to) => rmSync(join(to, 'tokenizer.json'))), 'there are no tokens'],
      [
        put('half', (to) => truncateSync(join(to, 'tokenizer.json'), 1_000_000)),
        'tokenizer.json is not valid JSON',
      ],
      [ggml('cut', (bytes) => bytes.subarray(0, 100_000_000)), 'the file ends early'],
      [ggml('head', (bytes) => patched(bytes, 4 + 4 * 8, 9)), 'its head states 9 layers of the decoder'],
      [
        ggml('kind', (bytes) => kindOfWeight(bytes, 'decoder.token_embedding.weight', 12)),
        'of the type q4_k',
      ],
      [
        ggml('nan', (bytes) => Buffer.concat([bytes.subarray(0, -4096), Buffer.alloc(4096, 0xff)])),
        'are no numbers: the file is damaged',
      ],
    ];
    for (const [path, message] of sampleOf(cases, 3)) {
      const { code, error } = await models('add', path, '--as', 'wrong', '--yes');
      expect({ path, code }).toEqual({ path, code: 1 });
      expect(error, path).toContain(message);
      expect(left(), path).toEqual(before);
    }
    expect(added.find('wrong')).toBeUndefined();
  }, 400_000);

  it('is refused where its tokens are those of another model, because it does not understand', async () => {
    const before = left();
    const to = join(folder, 'shuffled');
    mkdirSync(to);
    for (const file of readdirSync(join(folder, 'transformers')))
      copyFileSync(join(folder, 'transformers', file), join(to, file));
    const path = join(to, 'tokenizer.json');
    const tokenizer = JSON.parse(readFileSync(path, 'utf8')) as { model: { vocab: Record<string, number> } };
    const text = Object.entries(tokenizer.model.vocab).filter(([, number]) => number < 50_257);
    tokenizer.model.vocab = {
      ...tokenizer.model.vocab,
      ...Object.fromEntries(text.map(([token], at) => [token, text[(at + 1000) % text.length]?.[1] ?? 0])),
    };
    writeFileSync(path, JSON.stringify(tokenizer));
    const { code, error } = await models('add', to, '--as', 'shuffled', '--yes');
    expect(code).toBe(1);
    expect(error).toContain('it does not understand speech');
    expect(left()).toEqual(before);
  }, 240_000);
});

const bytesIn = (from: string): number =>
  readdirSync(from).reduce((sum, name) => sum + statSync(join(from, name)).size, 0);
const residentBytes = (): number => Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[1]) * 4096;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

const SHAPES: Readonly<Record<string, object>> = {
  tiny: { width: 384, layers: 4, bands: 80, vocabulary: 51_865, englishOnly: false },
  'tiny.en': { width: 384, layers: 4, bands: 80, vocabulary: 51_864, englishOnly: true },
  'small-128': { width: 768, layers: 2, bands: 128, vocabulary: 51_866, englishOnly: false },
  'tiny-128': { width: 384, layers: 4, bands: 128, vocabulary: 51_866, englishOnly: false },
  small: { width: 768, layers: 12, bands: 80, vocabulary: 51_865 },
  medium: { width: 1024, layers: 24, bands: 80, vocabulary: 51_865 },
  'distil-large-v3': { width: 1280, layers: 2, bands: 128, vocabulary: 51_866 },
  'large-v3-turbo': { width: 1280, layers: 4, bands: 128, vocabulary: 51_866 },
  'large-v3': { width: 1280, layers: 32, bands: 128, vocabulary: 51_866 },
};

/** The blocks are coarser than the weights, so that a comma may be lost. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

async function* once(pcm: Uint8Array): AsyncGenerator<Uint8Array> {
  yield pcm;
}

function patched(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeInt32LE(value, at);
  return copy;
}

/** A weight's head is its dimensions, the length of its name and its type, then its shape and its name. */
function kindOfWeight(bytes: Buffer, name: string, kind: number): Buffer {
  return patched(bytes, bytes.indexOf(name) - 4 * 3, kind);
}
