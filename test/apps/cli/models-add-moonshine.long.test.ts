// @requirement Models: A Moonshine of the operator makes the partials of English streams, and a damaged one leaves nothing behind.
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import {
  chosenRecognizer,
  Engine,
  openRecognizerJob,
  readOpenedQuickRecognizer,
  speechSettings,
  synthesizeJob,
} from '../../../src/media/engine/index.ts';
import { type AddedMoonshine, Recognizers } from '../../../src/speech/added-models/index.ts';
import { StockVoices, stockVoice } from '../../../src/speech/voices/index.ts';
import { openHear, plain, StreamClient } from '../../edge/surfaces/hear/server.ts';
import { sampleOf } from '../../long-tests.ts';
import { until } from '../../poll.ts';
import { convertMoonshine, moonshineHub, moonshineOrt } from '../../speech/added-models/moonshine-graphs.ts';
import { absent } from '../../speech/added-models/piper-voice.ts';
import { ModelCommands } from './model-commands.ts';

const SENTENCE = 'The river runs along the old wall, where people walk in the evening.';
const RATE = 16_000;
let commands: ModelCommands;
let tiny = '';

beforeAll(async () => {
  if (absent) return;
  commands = await ModelCommands.start('moonshine');
  tiny = await moonshineHub(join(commands.folder, 'tiny'), 'tiny');
}, 120_000);
afterAll(() => commands?.stop());

const place = (name: string) => join(commands.folder, name);
const moonshine = (name: string) => commands.added.find(name) as AddedMoonshine;
const failure = (error: string) => error.match(/error.*/)?.[0];

describe.skipIf(absent)('a Moonshine that is added', () => {
  it('comes from a repository of a hub, and writes what the pinned one writes', async () => {
    commands.publish('onnx-community/moonshine-tiny-ONNX', tiny);
    const { code, out, error } = await commands.run('add', 'hf:onnx-community/moonshine-tiny-ONNX', '--yes');
    expect({ code, error: failure(error) }).toEqual({ code: 0, error: undefined });
    expect(out).toContain('licence   mit');
    expect(out).toContain('moonshine_tiny_onnx: Moonshine tiny, English, 6 layers, ONNX, added');
    expect(plain(out.match(/heard {5}"(.*)"/)?.[1] ?? '')).toBe(plain(SENTENCE));
    expect(out).toMatch(/measured {2}real-time factor 0\.\d+, \d+ MB of memory/);
    expect(out).toContain('served    after you select it: npx trunkline models use moonshine_tiny_onnx');
    const { moonshine: facts, files } = moonshine('moonshine_tiny_onnx');
    expect(facts).toEqual({ form: 'onnx', layers: 6, heads: 8, width: 288, vocabulary: 32_768 });
    const stock = new Models().list.find(({ id }) => id === 'moonshine-tiny-en')?.files ?? [];
    const tokens = stock.find(({ path }) => path.endsWith('tokenizer.bin'))?.sha256;
    expect(files.find(({ path }) => path === 'tokenizer.bin')?.sha256).toBe(tokens);
    expect((await commands.run('verify')).out).toContain('moonshine_tiny_onnx: every file matches');
  }, 240_000);

  it('comes as the pair of the Python package, from a folder and from a file of it', async () => {
    const folder = moonshineOrt(place('pair'));
    const { code, out, error } = await commands.run('add', folder, '--as', 'of_pair', '--yes');
    expect({ code, error: failure(error) }).toEqual({ code: 0, error: undefined });
    expect(out).toContain(`${folder}: the graphs of a Moonshine`);
    expect(out).toContain('of_pair: Moonshine tiny, English, 6 layers, ONNX Runtime, added');
    expect(moonshine('of_pair').files.map(({ path }) => path)).toEqual([
      'decoder.ort',
      'encoder.ort',
      'facts.json',
      'moonshine.conf',
      'tokenizer.bin',
    ]);
    const { out: same } = await commands.run('add', join(folder, 'encoder_model.ort'), '--yes');
    expect(same).toContain('moonshine: Moonshine tiny, English, 6 layers, ONNX Runtime, added');
    expect(moonshine('moonshine').files).toEqual(moonshine('of_pair').files);
  }, 240_000);

  it('comes without masks, in a named form, and offline, from a repository of several sizes', async () => {
    const unmasked = await moonshineHub(place('unmasked'), 'unmasked');
    const several = place('from/UsefulSensors/moonshine/onnx/merged/tiny/quantized');
    mkdirSync(several, { recursive: true });
    for (const graph of ['encoder_model', 'decoder_model_merged'])
      renameSync(join(unmasked, 'onnx', `${graph}.onnx`), join(several, `${graph}_quantized.onnx`));
    mkdirSync(place('from/UsefulSensors/moonshine/tokens'));
    copyFileSync(
      join(unmasked, 'tokenizer.json'),
      place('from/UsefulSensors/moonshine/tokens/tokenizer.json'),
    );
    commands.publish('UsefulSensors/moonshine', place('from/UsefulSensors/moonshine'));
    const source = 'hf:UsefulSensors/moonshine:onnx/merged/tiny/quantized/encoder_model_quantized.onnx';
    const { code, error } = await commands.run('add', source, '--as', 'several', '--yes');
    expect({ code, error: failure(error) }).toEqual({ code: 0, error: undefined });
    expect(plain(moonshine('several').measured.heard ?? '')).toBe(plain(SENTENCE));

    const offline = { TRUNKLINE_MODELS_FROM: place('from'), HF_ENDPOINT: 'http://127.0.0.1:1' };
    const alone = await commands.runFrom(offline, 'add', source, '--as', 'offline', '--yes');
    expect(alone.error).toContain('put its tokenizer.json or tokenizer.bin beside the graphs');
    copyFileSync(join(unmasked, 'tokenizer.json'), join(several, 'tokenizer.json'));
    const added = await commands.runFrom(offline, 'add', source, '--as', 'offline', '--yes');
    expect({ code: added.code, error: failure(added.error) }).toEqual({ code: 0, error: undefined });
    expect(moonshine('offline').files).toEqual(moonshine('several').files);
  }, 240_000);

  it('comes as the weights of transformers, which become graphs, in tiny and in base', async () => {
    const files = await moonshineHub(place('transformers'), 'transformers');
    commands.publish('UsefulSensors/moonshine-tiny', files);
    const { code, out, error } = await commands.run('add', 'hf:UsefulSensors/moonshine-tiny', '--yes');
    expect({ code, error: failure(error) }).toEqual({ code: 0, error: undefined });
    expect(out).toContain('moonshine_tiny: Moonshine tiny, English, 6 layers, ONNX, added');
    expect(plain(moonshine('moonshine_tiny').measured.heard ?? '')).toBe(plain(SENTENCE));

    // Random weights understand nothing, and cost what those of this size do.
    const base = await moonshineHub(place('base'), 'base');
    const refused = await commands.run('add', base, '--as', 'wrong', '--yes');
    expect(refused.error).toContain('it does not understand speech');
    const quick = place('base-out');
    await convertMoonshine(base, quick);
    const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(commands.data) });
    try {
      await engine.prepared();
      const opened = async (folder: string) =>
        readOpenedQuickRecognizer(
          await engine.submit(openRecognizerJob, { quick: folder }, new Uint8Array()).result(),
        );
      const small = await opened(commands.added.pathOf(moonshine('moonshine_tiny')));
      const large = await opened(quick);
      expect(large).toMatchObject({ layers: 8, heads: 8, width: 416, vocabulary: 32_768, heard: '' });
      // Admission counts a larger model as more work.
      expect(large.partialSeconds).toBeGreaterThan(1.3 * small.partialSeconds);
      console.info(
        `a partial: tiny ${small.partialSeconds.toFixed(4)} s, base ${large.partialSeconds.toFixed(4)} s`,
      );
    } finally {
      await engine.destroy();
    }
  }, 240_000);

  it('is listed and selected by plan and device', async () => {
    expect((await commands.run('list')).out).toMatch(/moonshine_tiny_onnx .*mit.*\[en\]: Moonshine tiny/);
    const business = await commands.run('use', 'of_pair', '--plan', 'business');
    expect(business.out).toContain('the partials of English for the plan business are made by of_pair');
    expect(commands.added.partialRules).toEqual([{ plan: 'business', use: ['of_pair'] }]);
    expect((await commands.run('use', 'moonshine-tiny-en')).out).toContain('are made by moonshine-tiny-en');
    const { code, error } = await commands.run('use', 'of_pair', '--language', 'de');
    expect({ code, error }).toMatchObject({
      code: 1,
      error: expect.stringContaining('partials of English'),
    });
    expect((await commands.run('remove', 'of_pair')).code).toBe(0);
    expect(commands.added.partialRules).toEqual([{ use: ['moonshine-tiny-en'] }]);
    commands.added.usePartials([]);
  });

  it('makes the partials of a stream without a restart, until it is removed', async () => {
    const marked = await moonshineHub(place('marked'), 'marked');
    expect((await commands.run('add', marked, '--as', 'marked', '--yes')).code).toBe(0);
    const failures: unknown[] = [];
    let recognizers: Recognizers | undefined;
    const open = (engine: Engine) => {
      recognizers = new Recognizers(engine, commands.added, (error) => failures.push(error));
      return recognizers.choose;
    };
    const server = await openHear({
      engine: { settings: speechSettings(commands.data) },
      recognizers: open,
    });
    const voice = stockVoice(new StockVoices().resolve('joe_en_us')).engine;
    const options = { voice, rate: RATE, format: 'pcm16', seed: 3 } as const;
    const pcm = await server.engine.submit(synthesizeJob, options, Buffer.from(SENTENCE)).result();
    const silence = Buffer.alloc(2 * RATE * 2);
    const heard = async (query: string) => {
      const client = new StreamClient(server.url, query);
      await client.opened;
      client.say(Buffer.concat([silence.subarray(0, RATE), pcm.subarray(0, 2 * 2 * RATE)]), RATE);
      await client.until(() => client.of('partial').some(({ text }) => text !== ''));
      client.say(Buffer.concat([pcm.subarray(2 * 2 * RATE), silence]), RATE);
      await client.until(() => client.of('final').some(({ text }) => text !== ''));
      client.control({ type: 'close' });
      await client.closed;
      const texts = (type: string) => client.of(type).map(({ text }) => plain(text));
      return { partials: texts('partial').join(' '), finals: texts('final').join(' ') };
    };
    const choice = () => chosenRecognizer(recognizers?.choose, { language: 'en' });
    expect((await heard('language=en')).partials).not.toContain('zhe');

    commands.added.usePartials([{ use: ['marked'] }]);
    await until(() => choice().quick !== undefined);
    const english = await heard('language=en');
    expect(english.partials).toMatch(/^zhe\b/);
    expect(english.finals).toBe(plain(SENTENCE));
    expect(recognizers?.choose({ language: 'de', work: 'partials' })).toBe(null);
    expect(recognizers?.names).toEqual(['whisper-base']);

    commands.added.remove('marked');
    expect(choice()).toEqual({});
    expect((await heard('language=en')).partials).not.toContain('zhe');
    expect(failures).toEqual([]);
  }, 240_000);

  it('is refused where it is damaged or lies, and nothing of it stays', async () => {
    const before = commands.left();
    const put = (name: string, change: (to: string) => void) => {
      const to = place(`wrong-${name}`);
      cpSync(tiny, to, { recursive: true });
      change(to);
      return to;
    };
    const config = (to: string, change: object) => {
      const path = join(to, 'config.json');
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
    };
    const encoder = (to: string) => join(to, 'onnx/encoder_model.onnx');
    const card = (to: string) => writeFileSync(join(to, 'README.md'), '---\nlanguage:\n  - ko\n---\n');
    const shuffle = (to: string) => {
      const path = join(to, 'tokenizer.json');
      const tokenizer = JSON.parse(readFileSync(path, 'utf8'));
      const texts = Object.entries<number>(tokenizer.model.vocab).filter(([, id]) => id > 258 && id < 32_000);
      for (const [at, [text]] of texts.entries())
        tokenizer.model.vocab[text] = texts[(at + 1000) % texts.length]?.[1];
      writeFileSync(path, JSON.stringify(tokenizer));
    };
    const graph = (kind: string) => moonshineHub(place(kind), kind);
    const cases: [string, string][] = [
      [put('cut', (to) => truncateSync(encoder(to), 5_000_000)), 'the encoder: the file is damaged'],
      [put('layers', (to) => config(to, { decoder_num_hidden_layers: 8 })), 'states layers of 8'],
      [put('ends', (to) => config(to, { eos_token_id: 31_999 })), 'the token </s> has the number 31999'],
      [put('fewer', (to) => config(to, { vocab_size: 1000 })), 'states vocabulary of 1000'],
      [put('streaming', (to) => config(to, { model_type: 'moonshine_streaming' })), 'a streaming Moonshine'],
      [put('mute', (to) => rmSync(join(to, 'tokenizer.json'))), 'a Moonshine without its tokens'],
      [put('half', (to) => truncateSync(join(to, 'tokenizer.json'), 90_000)), 'is not valid JSON'],
      [put('alone', (to) => rmSync(encoder(to))), 'a Moonshine that is not served in this form'],
      [put('korean', card), 'a Moonshine for the language ko'],
      [put('moonshine-tiny-ja', () => undefined), 'a Moonshine for the language ja'],
      [put('shuffled', shuffle), 'it does not understand speech'],
      [await graph('other-caches'), 'the decoder takes before.0.decoder.key, which a Moonshine does not'],
      [await graph('no-branch'), 'has no input named use_cache_branch'],
      [await graph('heads'), 'it cannot recognize: bad_model: decoder.onnx'],
      [await graph('rows'), 'it cannot recognize: bad_model: '],
      [await graph('more'), 'the encoder takes speaker, which a Moonshine does not'],
    ];
    for (const [path, message] of sampleOf(cases, 6)) {
      const { code, error } = await commands.run('add', path, '--as', 'wrong', '--yes');
      expect({ path: basename(path), code }).toEqual({ path: basename(path), code: 1 });
      expect(error, path).toContain(message);
      expect(commands.left(), path).toEqual(before);
    }
  }, 500_000);
});
