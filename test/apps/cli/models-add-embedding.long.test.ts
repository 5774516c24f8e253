import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { type AddedEmbedder, AddedModels } from '../../../src/speech/added-models/index.ts';
import { sampleOf } from '../../long-tests.ts';
import { embeddingModel } from '../../speech/added-models/embedding-model.ts';
import { HubServer } from '../../speech/added-models/hub-server.ts';
import { absent as absentVoices } from '../../speech/added-models/piper-voice.ts';
import { outputOf } from './output-of.ts';

const bundled = new Models();
const absent = absentVoices ?? ['minilm-l6', 'e5-small'].find((id) => !bundled.status(id).ready);
const folder = mkdtempSync(join(tmpdir(), 'trunkline-embedding-'));
const data = join(folder, 'data');
const added = new AddedModels(data);
let hub: HubServer;
let minilm = '';
let multilingual = '';

beforeAll(async () => {
  if (absent) return;
  hub = await HubServer.start();
  minilm = await embeddingModel(join(folder, 'minilm'), 'minilm');
  multilingual = await embeddingModel(join(folder, 'multilingual-e5-small'), 'e5');
}, 120_000);
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

const left = (): string[] =>
  (existsSync(join(data, 'models')) ? readdirSync(join(data, 'models')) : []).sort();
const filesIn = (root: string) =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(root.length + 1), { bytes: readFileSync(path) }]),
  );
const hashOf = (model: AddedEmbedder, name: string) => model.files.find(({ path }) => path === name)?.sha256;
const bundledHash = (id: string, name: string) =>
  bundled.list.find((model) => model.id === id)?.files.find(({ path }) => basename(path) === name)?.sha256;

describe.skipIf(absent)('an embedding model that is added', () => {
  it('comes from a repository of sentence-transformers, which has its weights in other forms too', async () => {
    const other = {
      'model.safetensors': { bytes: Buffer.alloc(5000, 7) },
      'pytorch_model.bin': { bytes: Buffer.from('PK\u0003\u0004weights') },
      'onnx/model_O2.onnx': { bytes: Buffer.alloc(5000, 8) },
    };
    hub.repositories.set('intfloat/multilingual-e5-small', {
      licence: 'mit',
      files: { ...filesIn(multilingual), ...other },
    });
    const { code, out, error } = await models('add', 'hf:intfloat/multilingual-e5-small', '--yes');
    expect({ code, error: error.match(/error.*/)?.[0] }).toEqual({ code: 0, error: undefined });
    expect(out).toContain('licence   mit');
    expect(out).toMatch(/size {6}7 files, \d+ MB/);
    expect(out).toContain('embedding model (xlm-roberta, Unigram), vectors of 384 numbers, added');
    expect(out).toContain('found     the passages that answer questions, in en, es, fr, de, hi');
    expect(out).toMatch(/measured {2}[\d.]+ ms a passage, [\d.]+ MB of memory/);
    const model = added.find('multilingual_e5_small') as AddedEmbedder;
    expect(model.embedder).toMatchObject({
      query: 'query: ',
      passage: 'passage: ',
      pooling: 'mean',
      tokens: 256,
    });
    // The table of normalization is read from SentencePiece's own, and has the rules of the bundled one.
    expect(hashOf(model, 'pieces.bin')).toBe(bundledHash('e5-small', 'pieces.bin'));
    expect(model.measured.minSimilarity).toBeGreaterThan(0.8);
    expect(model.measured.minSimilarity).toBeLessThan(0.87);
    expect(hub.requests.some(({ path }) => /safetensors|pytorch|O2/.test(path))).toBe(false);
  }, 120_000);

  it('comes from a folder, a file in it or a URL, and serves the languages that it knows', async () => {
    const { code, out } = await models('add', minilm, '--as', 'small_english', '--yes');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('licence   apache-2.0') });
    expect(out).toContain('embedding model (bert, WordPiece), vectors of 384 numbers, added');
    expect(out).toMatch(/questions, in en\n/);
    const model = added.find('small_english') as AddedEmbedder;
    expect(hashOf(model, 'vocab.txt')).toBe(bundledHash('minilm-l6', 'vocab.txt'));
    expect(model.embedder).toMatchObject({ query: '', passage: '', tokenizer: 'word_pieces' });

    hub.repositories.set('own/minilm', { files: filesIn(minilm) });
    const url = `${hub.endpoint}/own/minilm/resolve/main/onnx/model.onnx`;
    const sources: [string, string][] = [
      [url, 'of_url'],
      [join(minilm, 'onnx/model.onnx'), 'of_file'],
      ['hf:own/minilm:onnx/model.onnx', 'of_path'],
    ];
    for (const [source, name] of sampleOf(sources, 3)) {
      const { code: ended, error } = await models('add', source, '--as', name, '--yes');
      expect({ ended, error: error.match(/error.*/)?.[0] }).toEqual({ ended: 0, error: undefined });
      expect(added.find(name)?.files).toEqual(model.files);
      expect((await models('remove', name)).code).toBe(0);
    }
    expect(left()).toEqual(['multilingual_e5_small', 'small_english']);
  }, 240_000);

  it('is listed, and selected by language', async () => {
    expect((await models('list')).out).toMatch(
      /small_english .*apache-2\.0.* \[en\]: embedding model .* ms a passage/,
    );
    expect((await models('use', 'multilingual_e5_small')).out).toContain(
      'in en, es, fr, de, hi is multilingual_e5_small',
    );
    expect((await models('use', 'small_english')).out).toContain('in en is small_english');
    expect((await models('use', 'e5-small', '--language', 'de')).out).toContain('in de is e5-small');
    expect(added.chosenEmbedder('en')).toBe('small_english');
    expect(added.chosenEmbedder('fr')).toBe('multilingual_e5_small');
    expect(added.chosenEmbedder('de')).toBe('e5-small');
    for (const [args, error] of [
      [['small_english', '--language', 'fr'], 'small_english finds passages in en, not in fr'],
      [['minilm-l6', '--language', 'de'], 'minilm-l6 finds passages in en, not in de'],
      [['e5-small', '--language', 'ja'], 'knowledge bases are in en, es, fr, de, hi, not in ja'],
      [['e5-small', '--plan', 'business'], '--plan and --device do not apply to embedding models'],
      [['nobody'], 'there is no voice, recognizer, Moonshine, embedding model or speaker encoder nobody'],
    ] as const) {
      const used = await models('use', ...args);
      expect(used.code).toBe(1);
      expect(used.error).toContain(error);
    }
    await models('remove', 'small_english');
    expect(added.chosenEmbedder('en')).toBe(undefined);
  });

  it('is refused where its files are damaged or lie, and nothing of it stays', async () => {
    const before = left();
    const random = await embeddingModel(join(folder, 'random'), 'random');
    const put = (name: string, change: (to: string) => void, of = random) => {
      const to = join(folder, `wrong-${name}`);
      cpSync(of, to, { recursive: true });
      change(to);
      return to;
    };
    const json = (path: string, change: object) => (to: string) => {
      const file = join(to, path);
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }));
    };
    const tokenizer = (change: object) => json('tokenizer.json', change);
    const normalizer = { type: 'BertNormalizer', lowercase: false, strip_accents: null };
    const cases: [string, string][] = [
      [random, 'it does not find the passages that answer questions'],
      [put('cut', (to) => truncateSync(join(to, 'onnx/model.onnx'), 1_000_000)), 'model.onnx'],
      [put('mute', (to) => rmSync(join(to, 'tokenizer.json'))), 'there is no tokenizer.json'],
      [
        put('half', (to) => truncateSync(join(to, 'tokenizer.json'), 9000)),
        'tokenizer.json is not valid JSON',
      ],
      [put('cased', tokenizer({ normalizer })), 'only uncased WordPiece models are'],
      [
        put('bpe', tokenizer({ model: { type: 'BPE', vocab: { a: 0 }, merges: [] } })),
        'its tokenizer is BPE',
      ],
      [
        put('size', json('config.json', { hidden_size: 384 })),
        'has vectors of 512 numbers, and config.json states 384',
      ],
      [
        put('pooled', json('1_Pooling/config.json', { word_embedding_dimension: 768 })),
        '1_Pooling/config.json states 768',
      ],
      [
        put('unpooled', (to) => rmSync(join(to, '1_Pooling/config.json'))),
        'there is no 1_Pooling/config.json',
      ],
      [
        put(
          'max',
          json('1_Pooling/config.json', { pooling_mode_mean_tokens: false, pooling_mode_max_tokens: true }),
        ),
        'only the mean and the first token are',
      ],
      [put('other', json('config.json', { vocab_size: 100 })), 'they belong to different models'],
      [put('weightless', (to) => rmSync(join(to, 'onnx/model.onnx'))), 'without a whole ONNX graph'],
      [
        put('pickle', (to) => {
          rmSync(join(to, 'onnx/model.onnx'));
          writeFileSync(join(to, 'pytorch_model.bin'), Buffer.from([0x80, 2, 0x7d, 0x71, 0]));
        }),
        'pytorch_model.bin: it is a pickle',
      ],
    ];
    for (const [source, message] of sampleOf(cases, 3)) {
      const { code, error } = await models('add', source, '--as', 'refused', '--yes');
      expect({ source: basename(source), code, error }).toMatchObject({
        code: 1,
        error: expect.stringContaining(message),
      });
      expect(left(), source).toEqual(before);
    }
  }, 400_000);

  it('is refused where its graph computes what is no number', async () => {
    const before = left();
    const to = await embeddingModel(join(folder, 'infinite'), 'infinite');
    const { code, error } = await models('add', to, '--as', 'refused', '--yes');
    expect({ code, error }).toMatchObject({ code: 1, error: expect.stringContaining('not finite numbers') });
    expect(left()).toEqual(before);
  }, 60_000);
});
