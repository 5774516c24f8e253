import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { Engine, speechSettings, synthesizeJob } from '../../../src/media/engine/index.ts';
import { DubVoices } from '../../../src/products/dub/voices/index.ts';
import { type AddedModel, AddedModels, type AddedVoice } from '../../../src/speech/added-models/index.ts';
import { addedVoices, StockVoices, StyleFitter, stockVoice } from '../../../src/speech/voices/index.ts';
import { sampleOf } from '../../long-tests.ts';
import { COMMIT, HubServer } from '../../speech/added-models/hub-server.ts';
import { absent, piperVoice } from '../../speech/added-models/piper-voice.ts';
import { outputOf } from './output-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'trunkline-added-'));
const data = join(folder, 'data');
const voices = new StockVoices(undefined, addedVoices(new AddedModels(data)));
let hub: HubServer;
let russian = '';
let several = '';

beforeAll(async () => {
  if (absent) return;
  hub = await HubServer.start();
  russian = await piperVoice(join(folder, 'ru'), { language: 'ru', espeak: 'ru' });
  several = await piperVoice(join(folder, 'several'), { speakers: 3 });
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
  const { code, out, error } = await outputOf(['models', ...args], environment);
  return { code, out, error };
}

const left = (): string[] => (existsSync(join(data, 'models')) ? readdirSync(join(data, 'models')) : []);

describe.skipIf(absent)('models add', () => {
  it('adds a voice of a hub in a new language, which is served at once, and opens the language for dubs', async () => {
    const files = Object.fromEntries(
      readdirSync(dirname(russian)).map((name) => [
        `ru/${name}`,
        { bytes: readFileSync(join(dirname(russian), name)) },
      ]),
    );
    hub.repositories.set('rhasspy/voices', { licence: 'mit', files });
    expect(voices.defaultFor('ru')).toBeUndefined();
    const { code, out, error } = await models('add', 'hf:rhasspy/voices@v1.0.0:ru', '--as', 'irina', '--yes');
    expect({ code, error: error.match(/error.*/)?.[0] }).toEqual({ code: 0, error: undefined });
    expect(out).toContain(`revision  ${COMMIT}`);
    expect(out).toContain('licence   mit');
    expect(out).toContain('irina: Piper voice, ru-XX, medium, 22050 Hz, added');
    expect(out).toContain('recognition does not support ru');
    expect(left()).toEqual(['irina']);

    const locked = new AddedModels(data).find('irina') as AddedVoice;
    expect(locked).toMatchObject({ source: 'hf:rhasspy/voices@v1.0.0:ru', revision: COMMIT, licence: 'mit' });
    expect(locked?.inputs.map(({ path }) => path)).toEqual([basename(russian), `${basename(russian)}.json`]);
    expect(locked?.measured.realTimeFactor).toBeGreaterThan(0);
    expect(locked?.measured.memoryBytes).toBeGreaterThan(1_000_000);

    expect(voices.find('irina')).toMatchObject({
      language: 'ru',
      tier: 'standard',
      available_on: ['speak', 'omni', 'cast'],
    });
    expect(voices.defaultFor('ru')?.id).toBe('irina');
    expect(voices.list.at(-1)?.id).toBe('irina');
    const listed = await models('list');
    expect(listed.out).toMatch(/here {5}irina [0-9a-f]{12}, mit, 6\d(\.\d)? MB \[ru\]: Piper voice, ru-XX/);
  }, 120_000);

  it('adds a voice of several speakers from a folder, each of whom is heard and differs', async () => {
    const { out } = await models('add', dirname(several), '--as', 'trio', '--yes');
    expect(out).toContain('3 speakers, added');
    expect(out).toContain('heard     "The river runs along the old wall, where people walk in the evening."');
    expect(out).toContain('voices    trio_person_0, trio_person_1, trio_person_2');
    expect(voices.find('trio')?.id).toBe('trio_person_0');

    const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(data) });
    try {
      await engine.prepared();
      const say = async (name: string, text: string) => {
        const voice = stockVoice(voices.resolve(name)).engine;
        const options = { voice, rate: 16_000, format: 'pcm16', seed: 7 } as const;
        return Buffer.from(await engine.submit(synthesizeJob, options, Buffer.from(text)).result());
      };
      const text = 'Good morning, this is the front desk. How can I help you today?';
      // An unconditioned voice is the stock voice with another gain: the same samples to a factor.
      const [stock, first, second, third] = await Promise.all(
        ['joe_en_us', 'trio', 'trio_person_1', 'trio_person_2'].map((name) => say(name, text)),
      );
      expect(correlation(stock as Buffer, first as Buffer)).toBeGreaterThan(0.99);
      expect(correlation(first as Buffer, second as Buffer)).toBeLessThan(0.9);
      expect(correlation(second as Buffer, third as Buffer)).toBeLessThan(0.9);
      // The product has no text normalizer for this language: the phonemizer reads its numbers.
      const [none, number] = [await say('irina', 'Позвоните.'), await say('irina', 'Позвоните 25.')];
      expect(number.length).toBeGreaterThan(none.length * 1.5);

      const dubs = new DubVoices(
        engine,
        voices,
        new StyleFitter(engine, voices),
        join(data, 'dub-voices.json'),
      );
      expect([dubs.speaks('ru'), dubs.speaks('ko')]).toEqual([true, false]);
      const sample = await dubs.sample('ru', 'Река течёт вдоль старой стены.', new AbortController().signal);
      expect(sample.length / 2 / 16_000).toBeGreaterThan(1);
    } finally {
      await engine.destroy();
    }
  }, 180_000);

  it('lets an added voice speak its language where none is named, and takes that back', async () => {
    const before = voices.defaultFor('en')?.id;
    expect((await models('use', 'trio_person_1')).out).toContain('the default voice of en is trio_person_1');
    expect(voices.defaultFor('en')?.id).toBe('trio_person_1');
    expect((await models('use', 'trio', '--language', 'fr')).error).toContain(
      'trio_person_0 speaks en, not fr',
    );
    for (const options of [[], ['--plan', 'business']])
      expect((await models('use', 'nobody', ...options)).error).toContain(
        'there is no voice, recognizer, Moonshine, embedding model or speaker encoder nobody',
      );
    expect((await models('use', 'trio', '--device', 'tpu')).error).toContain('--device must be cpu or cuda');
    expect((await models('use', 'trio', '--plan', 'business')).out).toContain(
      'the default voice of en for the plan business is trio_person_0',
    );
    expect(voices.defaultFor('en', 'business')?.id).toBe('trio_person_0');
    expect(voices.defaultFor('en')?.id).toBe('trio_person_1');
    expect((await models('use', 'trio_person_2', '--plan', 'business', '--device', 'cuda')).out).toContain(
      'the default voice of en for the plan business on cuda is trio_person_2',
    );
    expect(voices.defaultFor('en', 'business')?.id).toBe('trio_person_0');
    voices.servesOn(() => 'cuda');
    expect(voices.defaultFor('en', 'business')?.id).toBe('trio_person_2');
    expect(voices.defaultFor('en')?.id).toBe('trio_person_1');
    voices.servesOn(() => 'cpu');
    expect(voices.defaultFor('en', 'business')?.id).toBe('trio_person_0');
    await models('use', 'default', '--language', 'en', '--plan', 'business', '--device', 'cuda');
    await models('use', 'default', '--language', 'en', '--plan', 'business');
    expect(voices.defaultFor('en', 'business')?.id).toBe('trio_person_1');
    await models('use', 'default', '--language', 'en');
    expect(voices.defaultFor('en')?.id).toBe(before);
  });

  it('refuses names that are taken', async () => {
    for (const [name, why] of [
      ['irina', 'already'],
      ['en1', 'already'],
      ['joe_en_us', 'already'],
      ['vc_mine', 'already'],
      ['Irina', 'is not a valid name'],
      ['hi5', 'already'],
    ] as const) {
      const { code, error } = await models('add', dirname(russian), '--as', name, '--yes');
      expect({ name, code }).toEqual({ name, code: 1 });
      expect(error).toContain(why);
    }
    expect(left().sort()).toEqual(['irina', 'trio']);
  }, 120_000);

  it('refuses damaged and lying files, and leaves nothing of them', async () => {
    const put = (
      name: string,
      graph: string,
      change: (settings: Record<string, unknown>) => void = () => undefined,
    ) => {
      const to = join(folder, name);
      mkdirSync(to);
      copyFileSync(graph, join(to, 'voice.onnx'));
      const settings = JSON.parse(readFileSync(`${graph}.json`, 'utf8')) as Record<string, unknown>;
      change(settings);
      writeFileSync(join(to, 'voice.json'), JSON.stringify(settings));
      return to;
    };
    const cut = put('cut', several);
    truncateSync(join(cut, 'voice.onnx'), 20_000_000);
    const phonemes = (settings: Record<string, unknown>) =>
      settings.phoneme_id_map as Record<string, number[]>;
    const shuffled = put('shuffled', several, (settings) => {
      const map = phonemes(settings);
      const letters = Object.keys(map).filter((key) => !['_', '^', '$', ' '].includes(key));
      const numbers = letters.map((letter) => map[letter] as number[]);
      letters.forEach((letter, at) => {
        map[letter] = numbers[(at + 17) % numbers.length] as number[];
      });
    });
    const cases: [string, string][] = [
      [cut, 'the graph cannot be read: the file is damaged or was not copied whole'],
      [
        put('many', several, (settings) => Object.assign(settings, { num_speakers: 9 })),
        'names? 9 speakers, and the graph has 3',
      ],
      [
        put('one', russian, (settings) => Object.assign(settings, { num_speakers: 2, speaker_id_map: {} })),
        'the graph has one',
      ],
      [
        put('far', several, (settings) => Object.assign(phonemes(settings), { x: [5000] })),
        'names? the phoneme 5000, and the graph knows 256',
      ],
      [shuffled, 'the voice is not understood'],
    ];
    for (const [source, message] of sampleOf(cases, 2)) {
      const { code, error } = await models('add', source, '--as', 'wrong', '--yes');
      expect({ source, code }).toEqual({ source, code: 1 });
      expect(error).toMatch(new RegExp(message));
      expect(left().sort()).toEqual(['irina', 'trio']);
    }
    expect(new AddedModels(data).list.map(({ name }) => name)).toEqual(['irina', 'trio']);
  }, 180_000);

  it('asks, and adds nothing where nobody is there to agree', async () => {
    const { code, error, out } = await models('add', dirname(russian), '--as', 'other');
    expect(code).toBe(1);
    expect(out).toContain('Piper voice, ru-XX, medium, 22050 Hz');
    expect(error).toContain('pass --yes to accept it');
    expect(left().sort()).toEqual(['irina', 'trio']);
  });

  it('reads every byte again, and tells what is not as it was pinned', async () => {
    const added = new AddedModels(data);
    const model = added.find('trio') as AddedModel;
    expect(await added.changedFiles(model)).toEqual([]);
    const path = join(added.pathOf(model), 'phonemes.json');
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([Buffer.from(' '), bytes.subarray(1)]));
    expect(await added.changedFiles(model)).toEqual([path]);
    writeFileSync(path, bytes);
  });

  it('removes a voice with its files, and with the choice of it', async () => {
    await models('use', 'irina');
    const { out } = await models('remove', 'irina');
    expect(out).toContain('irina was removed');
    expect(left()).toEqual(['trio']);
    expect(voices.find('irina')).toBeUndefined();
    expect(voices.defaultFor('ru')).toBeUndefined();
    expect(new AddedModels(data).voiceRules).toEqual([]);
    expect((await models('remove', 'irina')).error).toContain('there is no added model irina');
  });
});

/** Returns the correlation of two signals, which a gain does not change. */
function correlation(one: Buffer, other: Buffer): number {
  const length = Math.min(one.length, other.length) >> 1;
  let [ab, aa, bb] = [0, 0, 0];
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.readInt16LE(2 * at), other.readInt16LE(2 * at)];
    ab += a * b;
    aa += a * a;
    bb += b * b;
  }
  return ab / Math.sqrt(aa * bb);
}
