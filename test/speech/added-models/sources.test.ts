import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { bring, offerOf } from '../../../src/speech/added-models/acquire.ts';
import { download } from '../../../src/speech/added-models/download.ts';
import { AddedModels, addModel, hubOf } from '../../../src/speech/added-models/index.ts';
import { COMMIT, type HubFileBytes, HubServer } from './hub-server.ts';

let hub: HubServer;
let gate: UrlGate;
let folder = '';
beforeAll(async () => {
  hub = await HubServer.start();
  gate = new UrlGate({ allowLoopback: true });
});
afterAll(async () => {
  hub.stop();
  await gate.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trunkline-models-'));
  hub.repositories.clear();
  hub.cuts.length = 0;
  hub.requests.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The file begins as an ONNX graph does, and is none: tests with real voices cover what follows its download. */
const graph = Buffer.concat([
  Buffer.from([0x08, 0x08, 0x12, 0x07]),
  Buffer.from('pytorch'),
  Buffer.alloc(2_000_000, 7),
]);
const settings = {
  audio: { sample_rate: 22_050, quality: 'medium' },
  espeak: { voice: 'ru' },
  phoneme_type: 'espeak',
  phoneme_id_map: { _: [0], '^': [1], $: [2], ' ': [3], a: [4] },
  num_speakers: 1,
};
const voice = (bytes: Buffer = graph, claimed?: HubFileBytes['claimed']) => ({
  'ru/irina/voice.onnx': { bytes, ...(claimed ? { claimed } : {}) },
  'ru/irina/voice.onnx.json': { bytes: Buffer.from(JSON.stringify(settings)) },
  'ru/irina/MODEL_CARD': { bytes: Buffer.from('* License: CC-BY-4.0\n') },
});

/** A graph of one field for each input and output. */
const onnxTaking = (...inputs: string[]): Buffer => onnxOf(inputs, []);
function onnxOf(inputs: readonly string[], outputs: readonly string[]): Buffer {
  const field = (number: number, bytes: Buffer) =>
    Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  const valuesOf = (number: number, names: readonly string[]) =>
    names.map((name) => field(number, field(1, Buffer.from(name))));
  const values = [...valuesOf(11, inputs), ...valuesOf(12, outputs)];
  return Buffer.concat([
    Buffer.from([0x08, 0x08]),
    field(2, Buffer.from('test')),
    field(7, Buffer.concat(values)),
  ]);
}

interface Tried {
  readonly error: string;
  readonly asked: { bytes: number | null; licence: string | null; revision: string | null }[];
  readonly shown: [number, number | null][];
  readonly brains: string[];
}

async function add(
  source: string,
  more: { environment?: NodeJS.ProcessEnv; from?: string; signal?: AbortSignal; agrees?: boolean } = {},
): Promise<Tried> {
  const tried = {
    error: '',
    asked: [] as Tried['asked'],
    shown: [] as Tried['shown'],
    brains: [] as string[],
  };
  const environment = more.environment ?? { HF_ENDPOINT: hub.endpoint };
  try {
    await addModel(new AddedModels(folder), source, {
      from: more.from ?? null,
      modelsRoot: join(folder, 'none'),
      forGpu: false,
      network: { gate, hub: hubOf(environment) },
      signal: more.signal ?? new AbortController().signal,
      isFree: () => true,
      agree: async ({ bytes, licence, revision }) => {
        tried.asked.push({ bytes, licence, revision });
        return more.agrees ?? true;
      },
      progress: (bytes, of) => tried.shown.push([bytes, of]),
      step: (line) => {
        if (line === 'converting') throw new Error('arrived');
      },
      languageModel: async (file) => {
        tried.brains.push(readFileSync(file, 'latin1'));
      },
      test: () => expect.unreachable(),
      testMoonshine: () => expect.unreachable(),
      testKokoro: async () => {
        throw new Error('no style table is tried here');
      },
      testRecognizer: () => expect.unreachable(),
      testEmbedder: () => expect.unreachable(),
      testEncoder: () => expect.unreachable(),
      now: () => new Date(0),
    });
  } catch (error) {
    tried.error = (error as Error).message;
  }
  return tried;
}

const left = (): string[] => (existsSync(join(folder, 'models')) ? readdirSync(join(folder, 'models')) : []);
const fetched = () =>
  hub.requests.filter(({ path }) => path.includes('voice.onnx') && !path.includes('/resolve/'));

describe('a repository of a hub', () => {
  it('is taken at one commit, with its licence and size told before anything is fetched', async () => {
    hub.repositories.set('rhasspy/voices', { licence: 'mit', files: voice() });
    const no = await add('hf:rhasspy/voices@v1.0.0:ru/irina', { agrees: false });
    const bytes = Object.values(voice()).reduce((sum, file) => sum + file.bytes.length, 0);
    expect(no.asked).toEqual([{ bytes, licence: 'mit', revision: COMMIT }]);
    expect(hub.requests.map(({ path }) => path)).toEqual([
      '/api/models/rhasspy/voices/revision/v1.0.0?blobs=true',
    ]);
    expect(left()).toEqual([]);

    const yes = await add('hf:rhasspy/voices@v1.0.0:ru/irina');
    expect(yes.error).toBe('arrived');
    expect(
      hub.requests
        .filter(({ path }) => path.includes('/resolve/'))
        .every(({ path }) => path.includes(COMMIT)),
    ).toBe(true);
    expect(yes.shown.at(-1)).toEqual([bytes, bytes]);
    expect(left()).toEqual([]);
  });

  it('is read with HF_TOKEN, which is not sent on to where large files lie', async () => {
    hub.repositories.set('me/closed', { token: 'hf_secret', files: voice() });
    const without = await add('hf:me/closed');
    expect(without.error).toContain('answered 401: it asks for a login: set HF_TOKEN');
    hub.requests.length = 0;
    const environment = { HF_ENDPOINT: hub.endpoint, HF_TOKEN: 'hf_secret' };
    expect((await add('hf:me/closed', { environment })).error).toBe('arrived');
    expect(fetched().map(({ authorization }) => authorization)).toEqual([undefined]);
    expect(hub.requests.filter(({ authorization }) => authorization === 'Bearer hf_secret').length).toBe(4);
  });

  it('goes on where a connection broke, and by the same command where it broke for good', async () => {
    hub.repositories.set('me/voice', { files: voice() });
    hub.cuts.push(700_000, 500_000);
    expect((await add('hf:me/voice')).error).toBe('arrived');
    const begun = fetched().map(({ range }) => Number(range?.match(/\d+/)?.[0] ?? 0));
    expect(begun.length).toBe(3);
    // The client does not request again what had arrived; the last piece before a cut may not have been written.
    expect(begun[1]).toBeGreaterThan(0);
    expect(begun[1]).toBeLessThanOrEqual(700_000);
    expect(begun[2]).toBeGreaterThanOrEqual(begun[1] as number);

    hub.cuts.push(400_000, 0, 0, 0, 0, 0, 0, 0);
    hub.requests.length = 0;
    const cut = await add('hf:me/voice');
    expect(cut.error).toMatch(/the download was interrupted after \d+ bytes/);
    expect(left().length).toBe(1);
    hub.cuts.length = 0;
    hub.requests.length = 0;
    expect((await add('hf:me/voice')).error).toBe('arrived');
    expect(fetched().map(({ range }) => range)).toEqual([expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
    expect(left()).toEqual([]);
  });

  it.each([
    ['other bytes than were announced', { sha256: 'a'.repeat(64) }, 'is damaged: expected aaaa'],
    ['another size than was announced', { size: 9_999_999 }, 'bytes where 9999999 were announced'],
    ['more bytes than were announced', { size: 1_000 }, 'bytes where 1000 were announced'],
  ])('is refused where a file has %s, and nothing stays', async (_, claimed, message) => {
    hub.repositories.set('me/liar', { files: voice(graph, claimed) });
    expect((await add('hf:me/liar')).error).toContain(message);
    expect(left()).toEqual([]);
  });

  it('takes no more bytes than were announced where an answer does not say its length', async () => {
    const bytes = Buffer.alloc(10_000_000, 7);
    const files = { 'a.onnx': { bytes, claimed: { size: 1_000 }, isChunked: true } };
    hub.repositories.set('me/endless', { files });
    const tried = await add('hf:me/endless');
    expect(tried.error).toContain('has more than the 1000 bytes that were announced');
    expect(Math.max(...tried.shown.map(([here]) => here))).toBeLessThanOrEqual(1_000);
    const url = `${hub.endpoint}/me/endless/resolve/${COMMIT}/a.onnx`;
    hub.requests.length = 0;
    const [target, onProgress] = [join(folder, 'a.onnx'), () => undefined];
    await expect(download({ url, bytes: 1_000 }, target, { gate, onProgress })).rejects.toThrow('announced');
    expect(statSync(`${target}.part`).size).toBeLessThanOrEqual(1_000);
    expect(hub.requests).toHaveLength(2);
  });

  it('gives up where every attempt brings a few bytes of a file', async () => {
    hub.repositories.set('me/voice', { files: voice() });
    hub.cuts.push(...Array.from({ length: 100 }, () => 1_000));
    expect((await add('hf:me/voice')).error).toMatch(/the download was interrupted after \d+ bytes/);
    expect(fetched().length).toBe(5);
  });

  it.each([
    ['hf:me/nowhere', 'answered 404: there is no such file, repository or revision'],
    ['hf:me/voice@v9', 'answered 404'],
    ['hf:me/voice:de', 'has no file de'],
    ['hf:me/two', 'has 2 files of weights (a.onnx, b.onnx): say which with :PATH behind the revision'],
    ['hf:me', 'is not hf:OWNER/NAME'],
    ['hf:me/voice:../../etc', 'the folder is a path inside the repository'],
    ['hf:me/outside', 'lists a file outside of the repository'],
    ['ftp://example.com/a.onnx', 'a source is a folder, a file, an https:// URL or hf:'],
  ])('%s is refused: %s', async (source, message) => {
    hub.repositories.set('me/voice', { files: voice() });
    hub.repositories.set('me/two', { files: { 'a.onnx': { bytes: graph }, 'b.onnx': { bytes: graph } } });
    hub.repositories.set('me/outside', { files: { '../../a.onnx': { bytes: graph } } });
    expect((await add(source)).error).toContain(message);
    expect(left()).toEqual([]);
  });

  it('is refused where the address is not that of a hub', async () => {
    expect(
      (await add('hf:me/voice', { environment: { HF_ENDPOINT: `${hub.endpoint}/elsewhere` } })).error,
    ).toContain('answered 404');
    expect((await add('hf:me/voice', { environment: { HF_ENDPOINT: 'file:///etc' } })).error).toContain(
      'HF_ENDPOINT is not an http(s) URL',
    );
  });
});

describe('files', () => {
  const put = (name: string, bytes: Buffer | string): string => {
    mkdirSync(join(folder, 'mine'), { recursive: true });
    const path = join(folder, 'mine', name);
    writeFileSync(path, bytes);
    return path;
  };
  const json = (more: object = {}): string => JSON.stringify({ ...settings, ...more });

  it('are told by their bytes, whatever they are called', async () => {
    put('weights.bin', graph);
    put('notes.txt', json());
    expect((await add(join(folder, 'mine'))).error).toBe('arrived');
    expect(readFileSync(join(folder, 'mine/weights.bin')).equals(graph)).toBe(true);
  });

  it('come from a URL with the settings beside them', async () => {
    hub.repositories.set('me/voice', { files: voice() });
    const url = `${hub.endpoint}/me/voice/resolve/main/ru/irina/voice.onnx`;
    expect((await add(url)).error).toBe('arrived');
    expect((await add(`${url}?download=true`)).error).toBe('arrived');
    expect((await add(`${hub.endpoint}/me/voice/resolve/main/none.onnx`)).error).toContain('answered 404');
    expect(left()).toEqual([]);
  });

  it('stand for the network where TRUNKLINE_MODELS_FROM names a folder of them', async () => {
    const from = join(folder, 'store');
    mkdirSync(join(from, 'me/voice/ru'), { recursive: true });
    writeFileSync(join(from, 'me/voice/ru/voice.onnx'), graph);
    writeFileSync(join(from, 'me/voice/ru/voice.onnx.json'), json());
    expect((await add('hf:me/voice@main:ru', { from })).error).toBe('arrived');
    expect((await add('hf:me/other', { from })).error).toContain(
      'there is no file or folder hf:me/other in TRUNKLINE_MODELS_FROM',
    );
    expect(hub.requests).toEqual([]);
  });

  it.each([
    ['an encoder of texts', { 'model.onnx': onnxTaking('input_ids', 'attention_mask') }],
    [
      'a Moonshine',
      {
        'encoder_model.onnx': onnxTaking('input_values'),
        'decoder_model_merged.onnx': onnxTaking('input_ids', 'encoder_hidden_states'),
      },
    ],
  ])('of %s come from its folder onnx with the settings beside that folder', async (_what, graphs) => {
    const path = join(folder, 'mine/onnx');
    mkdirSync(path, { recursive: true });
    put('tokenizer.json', '{}');
    for (const [name, bytes] of Object.entries(graphs)) put(`onnx/${name}`, bytes);
    const offer = await offerOf({ kind: 'folder', path }, { gate, hub: hubOf({}) });
    const expected = ['tokenizer.json', ...Object.keys(graphs).map((name) => `onnx/${name}`)];
    expect(offer.files.map((file) => file.path).sort()).toEqual(expected.sort());
    expect((await add(path)).error).toBe('arrived');
    expect(left()).toEqual([]);
  });

  it('are neither written outside of the working folder nor taken from an earlier addition', async () => {
    const network = { gate, hub: hubOf({}) };
    const offerAs = (path: string, from: string) => ({
      files: [{ path, bytes: 1, from }],
      bytes: 1,
      licence: null,
      revision: null,
    });
    const arriving = join(folder, 'arriving');
    const brought = async (path: string, from: string) =>
      await bring(offerAs(path, from), arriving, network, () => undefined, new AbortController().signal);
    await brought('config.json', put('old.json', '1'));
    await brought('config.json', put('new.json', '2'));
    expect(readFileSync(join(arriving, 'config.json'), 'utf8')).toBe('2');
    for (const path of ['../config.json', 'onnx/../../config.json', '/config.json'])
      await expect(brought(path, put('new.json', '2'))).rejects.toThrow('lies outside of the folder');
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  });

  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';
  it.each([
    ['empty', '', json(), 'it is empty'],
    ['pointer', pointer, json(), 'a pointer of Git LFS and not the file'],
    ['page', '<!DOCTYPE html><html>', json(), 'a web page and not a model'],
    ['archive', 'PK\u0003\u0004....', json(), 'it is an archive: unpack it'],
    ['pickle', Buffer.from([0x80, 0x02, 0x7d]), json(), 'a pickle, which can run programs'],
    ['noise', Buffer.alloc(5000, 0xee), json(), 'no model was found in it'],
    ['cut', graph, '{}', 'voice.onnx is damaged: its inputs cannot be read'],
    ['no settings', onnxTaking('input'), '{}', "no JSON file with a Piper voice's settings"],
    [
      'half settings',
      onnxTaking('input'),
      json().slice(0, -20),
      "no JSON file with a Piper voice's settings",
    ],
    [
      'wrong rate',
      graph,
      json({ audio: { sample_rate: 12_345 } }),
      'the voice has a sample rate of 12345 Hz',
    ],
    ['no rate', graph, json({ audio: {} }), "the voice's settings are wrong: /audio"],
    ['pinyin', graph, json({ phoneme_type: 'pinyin' }), 'the phoneme type pinyin'],
    ['no blank', graph, json({ phoneme_id_map: { a: [1] } }), "phoneme_id_map lacks '^'"],
    ['no language', graph, json({ espeak: { voice: '../../x' } }), 'have no language'],
  ])('that are %s are refused', async (_, bytes, text, message) => {
    put('voice.onnx', bytes);
    put('voice.onnx.json', text);
    expect((await add(join(folder, 'mine'))).error).toContain(message);
    expect(left()).toEqual([]);
  });

  it.each([
    ['Kokoro', onnxTaking('input_ids', 'style', 'speed'), 'it is a Kokoro without voices'],
    ['a speaker encoder', onnxTaking('feats'), 'arrived'],
    ['a speaker encoder by 3D-Speaker', onnxOf(['x'], ['embedding']), 'arrived'],
    ['an encoder of features', onnxTaking('input_features'), 'the encoder of a Whisper as an ONNX graph'],
    ['a decoder', onnxTaking('input_ids', 'encoder_hidden_states'), 'the decoder of a Whisper, a Moonshine'],
    ['a graph of samples', onnxTaking('input_values'), 'another network that reads samples'],
    [
      'Moonshine',
      Buffer.concat([Buffer.from([24, 0, 0, 0]), Buffer.from('ORTM'), Buffer.alloc(500)]),
      "a graph in ONNX Runtime's own form",
    ],
    ['wav2vec 2', Buffer.from('{"model_type": "wav2vec2"}'), 'a recognizer of another kind than Whisper'],
    [
      'WavLM for speakers',
      Buffer.from('{"model_type": "wavlm", "architectures": ["WavLMForXVector"]}'),
      'a speaker encoder that is not an ONNX graph of mel bands, which is not served',
    ],
    ['Llama', Buffer.from('{"model_type": "llama"}'), 'a language model, which is served as GGUF alone'],
  ])('that are %s are told by what they hold, whatever they are called', async (_, bytes, message) => {
    const path = put('model.bin', bytes);
    expect((await add(path)).error).toContain(message);
    expect(left()).toEqual([]);
  });

  it('that are a Whisper as ONNX graphs are refused with the forms that are served', async () => {
    put('config.json', '{"model_type": "whisper"}');
    put('encoder_model.onnx', onnxTaking('input_features'));
    put('decoder_model.onnx', onnxTaking('input_ids', 'encoder_hidden_states'));
    expect((await add(join(folder, 'mine'))).error).toContain(
      'it is a Whisper as ONNX graphs, which is not served in this form: give a Whisper as safetensors, CTranslate2 or ggml',
    );
    expect(left()).toEqual([]);
  });

  it('that are a Moonshine come from a hub as one form of its graphs, with the tokens', async () => {
    const encoder = { bytes: onnxTaking('input_values') };
    const decoder = { bytes: onnxTaking('input_ids', 'encoder_hidden_states', 'use_cache_branch') };
    const forms = ['', '_quantized'].flatMap((form) => [
      [`onnx/encoder_model${form}.onnx`, encoder],
      [`onnx/decoder_model_merged${form}.onnx`, decoder],
    ]);
    const settings = { bytes: Buffer.from('{"model_type": "moonshine"}') };
    const files = { ...Object.fromEntries(forms), 'config.json': settings, 'sizes/tokenizer.json': settings };
    const fetched = async (source: string) => {
      hub.requests.length = 0;
      expect((await add(source)).error).toBe('arrived');
      const paths = hub.requests.map(
        ({ path }) => /\/resolve\/[0-9a-f]+\/(.*)/.exec(decodeURIComponent(path))?.[1],
      );
      return paths.filter((path) => path !== undefined).sort();
    };
    hub.repositories.set('me/quick', { files });
    const shared = ['config.json', 'sizes/tokenizer.json'];
    expect(await fetched('hf:me/quick')).toEqual(
      [...shared, 'onnx/decoder_model_merged.onnx', 'onnx/encoder_model.onnx'].sort(),
    );
    expect(await fetched('hf:me/quick@main:onnx/encoder_model_quantized.onnx')).toEqual(
      [...shared, 'onnx/decoder_model_merged_quantized.onnx', 'onnx/encoder_model_quantized.onnx'].sort(),
    );
    const card = { bytes: Buffer.from('---\nlicense: other\nlanguage: es\n---\n') };
    hub.repositories.set('me/spanish', { files: { ...files, 'README.md': card } });
    expect((await add('hf:me/spanish')).error).toContain('a Moonshine for the language es');
    // A Whisper has graphs of the same names, and a vocabulary of its own.
    hub.repositories.set('me/whisper', { files: { ...files, 'vocab.json': settings } });
    expect((await add('hf:me/whisper')).error).toContain('has 4 files of weights');
    expect(left()).toEqual([]);
  });

  const languageOfMoonshine = async (name: string, card: string | null) => {
    const files = {
      'config.json': { bytes: Buffer.from('{"model_type": "moonshine"}') },
      'tokenizer.json': { bytes: Buffer.from('{}') },
      'onnx/encoder_model.onnx': { bytes: onnxTaking('input_values') },
      'onnx/decoder_model_merged.onnx': { bytes: onnxTaking('input_ids', 'encoder_hidden_states') },
      ...(card === null ? {} : { 'README.md': { bytes: Buffer.from(card) } }),
    };
    hub.repositories.set(`me/${name}`, { files });
    const { error } = await add(`hf:me/${name}`);
    return /a Moonshine for the language (\S+),/.exec(error)?.[1] ?? error;
  };

  it.each([
    'moonshine-uk-call-centre',
    'moonshine-base-es-accent-en',
    'moonshine-uk',
    'moonshine-base-ONNX',
    'moonshine-tiny-en',
    'moonshine-base-zhejiang',
  ])('that are a Moonshine called %s are English', async (name) => {
    expect(await languageOfMoonshine(name, null)).toBe('arrived');
  });

  it.each([
    ['moonshine-base-uk', 'uk'],
    ['moonshine-tiny-ko-ONNX', 'ko'],
    ['my_moonshine_tiny_ar', 'ar'],
  ])('that are a Moonshine called %s are refused, unless their card says English', async (name, language) => {
    expect(await languageOfMoonshine(name, null)).toBe(language);
    expect((await add(`hf:me/${name}`)).error).toContain('write language: en in the README.md');
    expect(await languageOfMoonshine(name, '---\nlanguage: en\n---\n')).toBe('arrived');
    expect(await languageOfMoonshine(name, '---\nlicense: mit\n---\n')).toBe(language);
  });

  it.each([
    ['EN', 'arrived'],
    ['eng', 'arrived'],
    ['en-US', 'arrived'],
    ['en_GB', 'arrived'],
    ['English', 'arrived'],
    ['[es, "En"]', 'arrived'],
    ['\r\n- es\r\n- en-GB', 'arrived'],
    ['es-EN', 'es-en'],
    ['\n  - UK\n  - eno', 'uk'],
  ])('that are a Moonshine whose card has the language %j: %s', async (stated, outcome) => {
    expect(await languageOfMoonshine('moonshine-base', `---\nlanguage: ${stated}\n---\n`)).toBe(outcome);
  });

  it('that are style tables of PyTorch come from a hub by their path', async () => {
    const tensor = Buffer.alloc(600_000);
    tensor.write('PK\u0003\u0004', 0, 'latin1');
    tensor.writeUInt16LE('af_ours/data.pkl'.length, 26);
    tensor.write('af_ours/data.pkl', 30);
    const files = { 'kokoro.pth': { bytes: graph }, 'voices/af_ours.pt': { bytes: tensor } };
    hub.repositories.set('me/kokoro', { files: { ...files, 'voices/am_ours.pt': { bytes: tensor } } });
    expect((await add('hf:me/kokoro@main:voices/af_ours.pt')).error).toBe('arrived');
    expect((await add('hf:me/kokoro@main:voices')).error).toContain('has 2 files of weights');
    put('large.pt', Buffer.concat([tensor, Buffer.alloc(600_000)]));
    expect((await add(join(folder, 'mine'))).error).toContain('large.pt: it is a pickle');
    expect(left()).toEqual([]);
  });

  it('that are a Whisper are taken with their settings, and the copies for other programs are left', async () => {
    const header = Buffer.from('{"__metadata__":{}}');
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    const weights = put('model.safetensors', Buffer.concat([length, header]));
    put('config.json', '{"model_type": "whisper"}');
    put('tokenizer.json', '{}');
    put('pytorch_model.bin', 'PK\u0003\u0004....');
    put('flax_model.msgpack', Buffer.alloc(5000, 0xee));
    for (const source of [join(folder, 'mine'), weights]) expect((await add(source)).error).toBe('arrived');
    hub.repositories.set('openai/whisper', {
      files: {
        'model.safetensors': { bytes: Buffer.concat([length, header]) },
        'pytorch_model.bin': { bytes: graph },
        'config.json': { bytes: Buffer.from('{"model_type": "whisper"}') },
      },
    });
    hub.requests.length = 0;
    expect((await add('hf:openai/whisper')).error).toBe('arrived');
    expect(hub.requests.filter(({ path }) => path.includes('pytorch'))).toEqual([]);
    hub.repositories.set('openai/large', {
      files: {
        'model-00001-of-00002.safetensors': { bytes: Buffer.concat([length, header]) },
        'model-00002-of-00002.safetensors': { bytes: Buffer.concat([length, header]) },
        'config.json': { bytes: Buffer.from('{"model_type": "whisper"}') },
      },
    });
    expect((await add('hf:openai/large')).error).toBe('arrived');
    expect(left()).toEqual([]);
  });

  it('that are a language model are handed on, from a hub as well, and nothing of them stays here', async () => {
    const bytes = `GGUF${'.'.repeat(5000)}`;
    expect((await add(put('model.bin', bytes))).brains).toEqual([bytes]);
    hub.repositories.set('me/brain', { files: { 'q4.gguf': { bytes: Buffer.from(bytes) } } });
    expect(await add('hf:me/brain')).toMatchObject({ error: '', brains: [bytes] });
    expect(left()).toEqual([]);
    put('other.bin', bytes);
    expect((await add(join(folder, 'mine'))).error).toContain('there are 2 language models');
  });

  it('of a name that is taken or no name are refused before anything is done', async () => {
    const models = new AddedModels(folder);
    expect(models.list).toEqual([]);
    expect((await add(join(folder, 'nothing'))).error).toContain('there is no file or folder');
  });
});

it('ends with a clear error where models.lock is damaged', () => {
  writeFileSync(join(folder, 'models.lock'), '{"format": 1, "mod');
  expect(() => new AddedModels(folder).list).toThrow('models.lock is not valid JSON');
  writeFileSync(join(folder, 'models.lock'), '{"format": 2}');
  expect(() => new AddedModels(folder).list).toThrow('this version of Trunkline reads 1');
});
