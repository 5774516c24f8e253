// @requirement Models: A speaker encoder of the operator tells the speakers of recordings by bounds of its own, and a damaged one leaves nothing behind.
import {
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
import { BUNDLED_BOUNDS, Engine } from '../../../src/media/engine/index.ts';
import {
  AddedModels,
  type AddedSpeakerEncoder,
  SpeakerEncoders,
} from '../../../src/speech/added-models/index.ts';
import { engineVoices, type SpeakerEmbedding } from '../../../src/speech/transcription/index.ts';
import { countSpeakers } from '../../../src/speech/transcription/run/speakers.ts';
import { HubServer } from '../../speech/added-models/hub-server.ts';
import { absent as absentVoices } from '../../speech/added-models/piper-voice.ts';
import { speakerEncoder } from '../../speech/added-models/speaker-encoder.ts';
import { outputOf } from './output-of.ts';

const SPEECH = process.env.TRUNKLINE_SPEECH ?? join(process.cwd(), '../shared/speech');
const bundled = new Models();
const absent = absentVoices ?? ['speakers', 'kokoro'].find((id) => !bundled.status(id).ready);
const withoutPeople = !existsSync(SPEECH);
if (withoutPeople && process.env.CI === 'true') throw new Error(`absent: ${SPEECH}`);
const folder = mkdtempSync(join(tmpdir(), 'trunkline-speakers-'));
const data = join(folder, 'data');
const added = new AddedModels(data);
const signal = new AbortController().signal;
let hub: HubServer;

beforeAll(async () => {
  if (!absent) hub = await HubServer.start();
});
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

const graph = (kind: string, name = kind) => speakerEncoder(join(folder, `${name}.onnx`), kind);
const left = (): string[] =>
  (existsSync(join(data, 'models')) ? readdirSync(join(data, 'models')) : []).sort();

/** Ten seconds of each of two people, at 16 kHz. */
const people = (): Buffer =>
  Buffer.concat(
    ['katie', 'steve'].map((name) =>
      readFileSync(join(SPEECH, `azure_samples/enrollment_audio_${name}.wav`)).subarray(44, 44 + 320_000),
    ),
  );

describe.skipIf(absent)('a speaker encoder that is added', () => {
  it('comes from a repository of a hub, and has the bounds of the bundled one if it is the same network', async () => {
    const files = { 'campplus.onnx': { bytes: readFileSync(await graph('plain')) } };
    hub.repositories.set('me/campplus', { licence: 'apache-2.0', files });
    const { code, out, error } = await models('add', 'hf:me/campplus', '--as', 'same_net', '--yes');
    expect({ code, error: error.match(/error.*/)?.[0] }).toEqual({ code: 0, error: undefined });
    expect(out).toContain('licence   apache-2.0');
    expect(out).toContain('same_net: speaker encoder, vectors of 192 numbers, added');
    expect(out).toMatch(/told {6}8 voices apart, (9\d\.\d|100) % of the pairs rightly/);
    expect(out).toContain('bounds    one speaker from a cosine of 0.39 on, 0.45 by telephone');
    expect(out).toMatch(/measured {2}real-time factor 0\.\d+, [\d.]+ MB of memory/);
    const model = added.find('same_net') as AddedSpeakerEncoder;
    expect(model.encoder).toEqual({ size: 192, window: 'povey' });
    expect(model.measured.bounds).toEqual(BUNDLED_BOUNDS);
    expect(model.files.map(({ path }) => path)).toEqual(['encoder.conf', 'encoder.onnx', 'facts.json']);
  }, 240_000);

  it('comes from a file, and its bounds are measured with it', async () => {
    const { code, out } = await models('add', await graph('shifted', 'wespeaker_resnet34'), '--yes');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('wespeaker_resnet34: ') });
    const { encoder, measured } = added.find('wespeaker_resnet34') as AddedSpeakerEncoder;
    expect(encoder).toEqual({ size: 192, window: 'hamming' });

    // The part that all vectors share makes those of any two people alike.
    expect(measured.bounds.same).toBeGreaterThan(0.6);
    expect(measured.bounds.surelySame).toBeGreaterThan(measured.bounds.same);
    expect((await models('verify')).out).toContain('wespeaker_resnet34: every file matches');
  }, 240_000);

  it('is listed, selected and deselected', async () => {
    expect((await models('list')).out).toMatch(/same_net .*apache-2\.0.*: speaker encoder, vectors of 192/);
    expect((await models('use', 'wespeaker_resnet34')).out).toContain(
      'the speaker encoder of jobs, uploads and dubs is wespeaker_resnet34',
    );
    expect(added.chosenEncoder).toBe('wespeaker_resnet34');
    expect((await models('use', 'campplus')).code).toBe(0);
    expect(added.chosenEncoder).toBe(undefined);
    const { code, error } = await models('use', 'same_net', '--language', 'en');
    expect({ code, error }).toMatchObject({ code: 1, error: expect.stringContaining('do not apply to') });
  });

  it.skipIf(withoutPeople)(
    'tells people apart in a running engine, until it is removed or damaged',
    async () => {
      const errors: string[] = [];
      const encoders = new SpeakerEncoders(added, (_, name) => errors.push(name));
      const files = Object.entries(bundled.wholeFiles()).filter(([path]) => path.startsWith('speakers/'));
      const engine = new Engine({ models: Object.fromEntries(files), device: 'cpu' });
      try {
        await engine.prepared();
        const embedder = engineVoices(engine, encoders);
        const embed = () => embedder.voices(people(), 'live', signal);
        const encodersOf = (voices: readonly SpeakerEmbedding[]) => [
          ...new Set(voices.map(({ encoder }) => encoder?.id)),
        ];
        expect(encodersOf(await embed())).toEqual([undefined]);

        added.useEncoder('wespeaker_resnet34');
        const model = added.find('wespeaker_resnet34') as AddedSpeakerEncoder;
        const voices = await embed();
        expect(encodersOf(voices)).toEqual([model.folder]);
        expect(await countSpeakers(voices)).toBe(2);
        // By the bounds of the bundled encoder, the two would be one.
        expect(await countSpeakers(voices.map(({ encoder: _, ...voice }) => voice))).toBe(1);

        const path = join(added.pathOf(model), 'encoder.onnx');
        const whole = readFileSync(path);
        added.useEncoder('same_net');
        expect(encodersOf(await embed())).toEqual([(added.find('same_net') as AddedSpeakerEncoder).folder]);
        writeFileSync(path, Buffer.alloc(whole.length, 1));
        added.useEncoder('wespeaker_resnet34');
        expect(encodersOf(await embed())).toEqual([undefined]);
        expect(encodersOf(await embed())).toEqual([undefined]);
        expect(errors).toEqual([model.folder]);
        expect((await models('verify')).error).toContain('does not match its pinned checksum');

        writeFileSync(path, whole);
        expect((await models('remove', 'wespeaker_resnet34')).code).toBe(0);
        expect(added.chosenEncoder).toBe(undefined);
        expect(encodersOf(await embed())).toEqual([undefined]);
      } finally {
        engine.destroy();
      }
    },
    120_000,
  );

  it('is refused where it is damaged, lies or reads other features, and nothing of it stays', async () => {
    const before = left();
    const cut = await graph('plain', 'cut');
    truncateSync(cut, 1_000_000);
    const cases: [string, string][] = [
      [await graph('random'), 'it does not tell voices: only'],
      [await graph('infinite'), 'not finite numbers'],
      [await graph('narrow'), 'rows of 80 mel bands in float32, [batch, rows, 80], are supported'],
      [await graph('fixed'), 'it has to leave the number of rows open'],
      [await graph('two'), 'the graph takes feats, lengths; a speaker encoder of rows of 80 mel bands alone'],
      [await graph('slow'), 'the encoder reads audio at 8000 Hz'],
      [await graph('unlike'), 'normalizes its features by per_feature'],
      [cut, 'cut.onnx is damaged: its inputs cannot be read'],
    ];
    for (const [source, message] of cases) {
      const { code, error } = await models('add', source, '--as', 'refused', '--yes');
      expect({ source: basename(source), code, error }).toMatchObject({
        code: 1,
        error: expect.stringContaining(message),
      });
      expect(left(), source).toEqual(before);
    }
  }, 400_000);
});
