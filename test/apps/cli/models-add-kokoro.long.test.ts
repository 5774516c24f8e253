// @requirement Models: Style tables of Kokoro are added as voices, and a damaged one leaves nothing behind.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { Engine, speechSettings, synthesizeJob } from '../../../src/media/engine/index.ts';
import { AddedModels, StyleLinks } from '../../../src/speech/added-models/index.ts';
import { addedVoices, StockVoices, stockVoice } from '../../../src/speech/voices/index.ts';
import { absent } from '../../speech/added-models/piper-voice.ts';
import { python } from '../../speech/added-models/whisper-weights.ts';
import { outputOf } from './output-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'trunkline-kokoro-'));
const data = join(folder, 'data');
const added = new AddedModels(data);
const voices = new StockVoices(undefined, addedVoices(added));
const NUMBERS = 510 * 256;

const stock = (name: string): Float32Array => {
  const bytes = readFileSync(new Models().path(`kokoro/voices/${name}.bin`));
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
};
const blend = (one: string, other: string): Float32Array => {
  const [a, b] = [stock(one), stock(other)];
  return a.map((number, at) => (number + (b[at] as number)) / 2);
};
const write = (name: string, numbers: Float32Array): string => {
  const path = join(folder, name);
  writeFileSync(path, Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  return path;
};
const models = (...args: string[]) =>
  outputOf(['models', ...args], {
    TRUNKLINE_DATA: data,
    TRUNKLINE_LOG_LEVEL: 'silent',
    ...(process.env.TRUNKLINE_MODELS ? { TRUNKLINE_MODELS: process.env.TRUNKLINE_MODELS } : {}),
  });
const left = (): string[] =>
  existsSync(join(data, 'models')) ? readdirSync(join(data, 'models')).sort() : [];
const links = (): string[] => readdirSync(join(data, 'styles')).filter((name) => name.startsWith('x_'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(absent)('a style table of Kokoro', () => {
  beforeAll(() => mkdirSync(data, { recursive: true }));

  it('becomes a voice of its language, which a running engine speaks with', async () => {
    const running = new Engine({
      models: new StyleLinks(data).withLinks(new Models().wholeFiles()),
      settings: speechSettings(data),
    });
    try {
      await running.prepared();
      const path = write('af_mixed.bin', blend('af_heart', 'af_bella'));
      const { code, out, error } = await models('add', path, '--yes');
      expect({ code, error: error.match(/error.*/)?.[0] }).toEqual({ code: 0, error: undefined });
      expect(out).toContain('mixed: Kokoro voice, en, added');
      expect(out).toMatch(/heard {5}".*river.*wall.*"/);
      const voice = voices.resolve('mixed');
      expect(voice).toMatchObject({ language: 'en', region: 'us', gender: 'female', tier: 'natural' });
      const say = { voice: stockVoice(voice).engine, rate: 16_000, format: 'pcm16', seed: 1 } as const;
      const pcm = await running.submit(synthesizeJob, say, Buffer.from('Good morning.')).result();
      expect(pcm.length).toBeGreaterThan(16_000);
      expect(links()).toHaveLength(1);
    } finally {
      await running.destroy();
    }
  }, 240_000);

  it('comes with others in an archive of NumPy, of which those that Kokoro speaks here are served', async () => {
    const path = join(folder, 'voices.npz');
    for (const name of ['bm_one', 'if_two', 'kf_three']) write(`${name}.raw`, blend('bm_george', 'if_sara'));
    const code =
      'import sys, numpy as np; d = sys.argv[1]; np.savez(d + "/voices.npz", **{n: np.fromfile(f"{d}/{n}.raw", "<f4").reshape(510, 1, 256) for n in sys.argv[2:]})';
    await python('-c', code, folder, 'bm_one', 'if_two', 'kf_three');
    const { error, out } = await models('add', path, '--as', 'pack', '--yes');
    expect(error).not.toContain('error');
    expect(out).toContain('pack: Kokoro voices, 2, en, it, added');
    expect(voices.find('pack')?.id).toBe('pack_bm_one');
    expect(voices.find('pack_if_two')).toMatchObject({ language: 'it', gender: 'female' });
    expect(voices.find('pack_kf_three')).toBeUndefined();
  }, 240_000);

  it('comes as PyTorch stores it, and nothing that the file names is called', async () => {
    const numbers = write('bf_torch.raw', blend('bf_emma', 'bf_lily'));
    const program = join(import.meta.dirname, '../../speech/added-models/torch_tensor.py');
    await python(program, numbers, join(folder, 'bf_torch.pt'));
    const { out, error } = await models('add', join(folder, 'bf_torch.pt'), '--yes');
    expect(error).not.toContain('error');
    expect(out).toContain('torch: Kokoro voice, en, added');
    expect(voices.find('torch')).toMatchObject({ language: 'en', region: 'gb', gender: 'female' });
    const pinned = added.find('torch')?.files.find(({ path }) => path.endsWith('.bin'));
    expect(pinned?.sha256).toBe(createHash('sha256').update(readFileSync(numbers)).digest('hex'));

    const before = [left(), links()];
    const old = write('old.raw', new Float32Array(511 * 256).fill(0.1));
    await python(program, old, join(folder, 'af_old.pt'), '511');
    await python(program, numbers, join(folder, 'af_calls.pt'), '510', 'system');
    await python(program, numbers, join(folder, 'af_short.pt'), '511');
    for (const [name, message] of [
      ['af_old.pt', 'is a table of Kokoro 0.19'],
      ['af_calls.pt', 'the checkpoint names posix.system'],
      ['af_short.pt', 'storage 0 holds 130560 numbers, 130816 were announced'],
    ] as const) {
      const refused = await models('add', join(folder, name), '--as', 'wrong', '--yes');
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.error).toContain(message);
      expect([left(), links()], name).toEqual(before);
    }
    await models('remove', 'torch');
  }, 240_000);

  it('is refused where it is damaged or names no language, and nothing of it stays', async () => {
    const before = [left(), links()];
    const heart = stock('af_heart');
    const wrong = (change: (numbers: Float32Array) => void) => {
      const numbers = heart.slice();
      change(numbers);
      return numbers;
    };
    const cases: [string, string][] = [
      [write('heart.bin', heart), 'the name tells no language'],
      [write('kf_heart.bin', heart), 'the name tells no language'],
      [
        write(
          'af_nan.bin',
          wrong((numbers) => numbers.fill(Number.NaN, 1000)),
        ),
        'has values that are no style',
      ],
      [
        write(
          'af_large.bin',
          wrong((numbers) => numbers.fill(1e9, 1000)),
        ),
        'has values that are no style',
      ],
      [write('af_empty.bin', new Float32Array(NUMBERS)), 'has no values'],
      [write('af_cut.bin', heart.slice(0, NUMBERS - 8)), 'no model was found'],
    ];
    writeFileSync(join(folder, 'cut.npz'), readFileSync(join(folder, 'voices.npz')).subarray(0, 600_000));
    cases.push([join(folder, 'cut.npz'), 'is damaged']);
    const torch = Buffer.alloc(200);
    torch.write('PK\u0003\u0004', 0, 'latin1');
    torch.writeUInt16LE('voice/data.pkl'.length, 26);
    torch.write('voice/data.pkl', 30);
    writeFileSync(join(folder, 'af_torch.pt'), torch);
    cases.push([join(folder, 'af_torch.pt'), 'af_torch.pt is damaged']);
    for (const [path, message] of cases) {
      const { code, error } = await models('add', path, '--as', 'wrong', '--yes');
      expect({ path, code }).toEqual({ path, code: 1 });
      expect(error, path).toContain(message);
      expect([left(), links()], path).toEqual(before);
    }
  }, 240_000);

  it('is removed with its link', async () => {
    await models('remove', 'pack');
    expect(links()).toHaveLength(1);
    await models('remove', 'mixed');
    expect([left(), links(), voices.find('mixed')]).toEqual([[], [], undefined]);
  });
});
