// @requirement Dub: Speech is separated from the background.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { AudioDecoder } from '../../../src/media/codec/index.ts';
import {
  DUB_RATE,
  DUB_VOICE_RATE,
  dubEdgesJob,
  dubMixJob,
  type Engine,
  readEdges,
} from '../../../src/media/engine/index.ts';
import { absent, ffmpeg, RECORDING } from '../../media/codec/recordings.ts';
import { sharedEngine } from '../../media/engine/shared-engine.ts';

const SECONDS = 8;
const FRAMES = SECONDS * DUB_RATE;

function music(): readonly [Float32Array, Float32Array] {
  const notes = [196, 247, 294, 392, 494];
  const channels = [new Float32Array(FRAMES), new Float32Array(FRAMES)] as const;
  for (let i = 0; i < FRAMES; i += 1) {
    const time = i / DUB_RATE;
    notes.forEach((hertz, at) => {
      const value =
        0.04 * Math.sin(2 * Math.PI * hertz * time) * (1 + 0.2 * Math.sin(2 * Math.PI * 0.7 * time + at));
      const side = at / (notes.length - 1);
      (channels[0] as Float32Array)[i]! += value * (1 - 0.7 * side);
      (channels[1] as Float32Array)[i]! += value * (0.3 + 0.7 * side);
    });
  }
  return channels;
}

function interleaved(channels: readonly Float32Array[]): Buffer {
  const pcm = Buffer.alloc(FRAMES * channels.length * 2);
  for (let i = 0; i < FRAMES; i += 1) {
    channels.forEach((channel, at) => {
      const sample = Math.round(Math.max(-1, Math.min(1, channel[i] as number)) * 32767);
      pcm.writeInt16LE(sample, (i * channels.length + at) * 2);
    });
  }
  return pcm;
}

const samples = (pcm: Uint8Array): Int16Array =>
  new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength));

function siSdr(estimate: ArrayLike<number>, truth: ArrayLike<number>): number {
  let [dot, power] = [0, 0];
  for (let i = 0; i < truth.length; i += 1) {
    dot += estimate[i]! * truth[i]!;
    power += truth[i]! * truth[i]!;
  }
  const gain = dot / power;
  let error = 0;
  for (let i = 0; i < truth.length; i += 1) error += (estimate[i]! - gain * truth[i]!) ** 2;
  return 10 * Math.log10((gain * gain * power) / error);
}

const models = new Models();

describe.skipIf(absent || !existsSync(models.path('silero-vad/silero_vad.onnx')))(
  'dubbed sound',
  { timeout: 60_000 },
  () => {
    let engine: Engine;
    let speech: Float32Array;
    beforeAll(async () => {
      engine = sharedEngine();
      await engine.prepared();
      const decoder = new AudioDecoder({ ffmpeg, temporary: tmpdir(), atOnce: 1 });
      const options = { sampleRate: DUB_RATE, channels: 'mix', sample: 's16', maxSeconds: 60 } as const;
      const { pcm } = await decoder.decode({ path: RECORDING }, options);
      const parts: Buffer[] = [];
      for await (const part of pcm) parts.push(part);
      const heard = samples(Buffer.concat(parts));
      // Two seconds at either end have no speech, so that the mixer can learn the background.
      speech = new Float32Array(FRAMES);
      for (let i = 2 * DUB_RATE; i < 6 * DUB_RATE; i += 1)
        speech[i] = ((heard[i - 2 * DUB_RATE] ?? 0) / 32768) * 0.7;
    }, 120_000);
    afterAll(() => engine?.destroy());

    const mix = async (
      sound: Buffer,
      channels: 1 | 2,
      more = {},
      voices = Buffer.alloc(SECONDS * DUB_VOICE_RATE * 2),
    ) => {
      const options = { frames: FRAMES, channels, before: 0, after: 0, removes: true, duckDb: 0, ...more };
      return await engine.submit(dubMixJob, options, Buffer.concat([sound, voices])).result();
    };

    it.each([
      [2, 9],
      [1, 6],
    ] as const)('takes speech out of music in %i channels, by more than %i dB', async (channels, least) => {
      const [left, right] = music();
      const rest = channels === 2 ? [left, right] : [left];
      const mixture = interleaved(rest.map((channel) => channel.map((value, i) => value + speech[i]!)));
      const truth = samples(interleaved(rest));
      const before = siSdr(samples(mixture), truth);
      const after = siSdr(samples(await mix(mixture, channels)), truth);
      console.log(
        `SI-SDR of the rest, ${channels} channels: ${before.toFixed(1)} dB mixed, ${after.toFixed(1)} dB separated`,
      );
      expect(after - before).toBeGreaterThan(least);
    });

    it('leaves alone what holds no speech, to the bit but for the limiter', async () => {
      const [left, right] = music();
      const sound = interleaved([left, right]);
      expect(siSdr(samples(await mix(sound, 2)), samples(sound))).toBeGreaterThan(60);
    });

    it('lowers the rest under a voice and no longer', async () => {
      const [left] = music();
      const voices = Buffer.alloc(SECONDS * DUB_VOICE_RATE * 2);
      for (let i = 3 * DUB_VOICE_RATE; i < 5 * DUB_VOICE_RATE; i += 1)
        voices.writeInt16LE(Math.round(8000 * Math.sin(i * 0.4)), i * 2);
      const order = { removes: false, duckDb: 12, voiceDb: -120 };
      const out = samples(await mix(interleaved([left]), 1, order, voices));
      const power = (from: number, to: number) =>
        10 *
        Math.log10(out.slice(from * DUB_RATE, to * DUB_RATE).reduce((so, x) => so + x * x, 0) / (to - from));
      expect(power(0, 2.5) - power(3.3, 4.8)).toBeGreaterThan(10);
      expect(power(0, 2.5) - power(3.3, 4.8)).toBeLessThan(14);
      expect(Math.abs(power(0, 2.5) - power(7, 8))).toBeLessThan(1);
    });

    it('mixes pieces that join without a seam', async () => {
      const [left] = music();
      const sound = interleaved([left]);
      const whole = samples(await mix(sound, 1, { removes: false }));
      const half = FRAMES / 2;
      const around = DUB_RATE;
      const piece = async (from: number, frames: number, before: number, after: number) => {
        const voices = Buffer.alloc((frames / 2) * 2);
        const options = { frames, channels: 1, before, after, removes: false, duckDb: 0 } as const;
        const input = Buffer.concat([sound.subarray(from * 2, (from + frames) * 2), voices]);
        return samples(await engine.submit(dubMixJob, options, input).result());
      };
      const first = await piece(0, half + around, 0, around);
      const second = await piece(half - around, half + around, around, 0);
      expect([first.length, second.length]).toEqual([half, half]);
      expect(siSdr([...first, ...second], whole)).toBeGreaterThan(60);
    });

    it('refuses what does not hold together', async () => {
      const wrong = [
        { frames: 0 },
        { frames: 61 * DUB_RATE },
        { frames: 1000, before: 600, after: 600 },
        { frames: FRAMES * 2 },
      ];
      for (const one of wrong) await expect(mix(Buffer.alloc(2000), 1, one)).rejects.toThrow();
    });

    it('finds the ends of what is said', async () => {
      const pcm = Buffer.alloc(DUB_VOICE_RATE * 2);
      for (let i = 6000; i < 18_000; i += 1) pcm.writeInt16LE(Math.round(6000 * Math.sin(i)), i * 2);
      const edges = readEdges(await engine.submit(dubEdgesJob, undefined, pcm).result());
      expect(Math.abs(edges.first - 6000)).toBeLessThanOrEqual(120);
      expect(Math.abs(edges.end - 18_000)).toBeLessThanOrEqual(120);
      const silent = readEdges(await engine.submit(dubEdgesJob, undefined, Buffer.alloc(4800)).result());
      expect(silent.first).toBe(silent.end);
    });
  },
);
