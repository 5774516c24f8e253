// @requirement Console: The console plays a recording with both waveforms and a transcript that follows.
import { describe, expect, it } from 'vitest';
import {
  NotPlainWav,
  type Peaks,
  peaksOf,
  STRETCHES,
  WavPeaks,
} from '../../../src/apps/console/data/peaks.ts';
import { wavHeader } from '../../../src/media/codec/index.ts';

const RATE = 8_000;
const SECONDS = 2;
const FRAMES = RATE * SECONDS;

function recorded(): Buffer {
  const pcm = Buffer.alloc(FRAMES * 4);
  for (let at = 0; at < FRAMES; at++) {
    if (at < FRAMES / 2) pcm.writeInt16LE(-16_384, at * 4);
    else pcm.writeInt16LE(8_192, at * 4 + 2);
  }
  return Buffer.concat([wavHeader({ sampleRate: RATE, channels: 2, sample: 's16' }, pcm.length), pcm]);
}

function expectHalves({ seconds, caller, agent }: Peaks) {
  const half = STRETCHES / 2;
  expect(seconds).toBe(SECONDS);
  expect([...caller.slice(0, half)]).toEqual(Array(half).fill(0.5));
  expect([...caller.slice(half)]).toEqual(Array(half).fill(0));
  expect([...agent.slice(0, half)]).toEqual(Array(half).fill(0));
  expect([...agent.slice(half)]).toEqual(Array(half).fill(0.25));
}

describe('peaks of a WAV', () => {
  it.each([1_000, 4_097, 1 << 20])('are those of each side, in parts of %i bytes', (size) => {
    const file = recorded();
    const peaks = new WavPeaks();
    let last: Peaks | null = null;
    for (let from = 0; from < file.length; from += size)
      last = peaks.push(file.subarray(from, from + size), file.length);
    expectHalves(last as Peaks);
  });

  it('are there for what has come, and nothing behind it', () => {
    const file = recorded();
    const { seconds, caller } = new WavPeaks().push(file.subarray(0, file.length / 4), file.length);
    expect(seconds).toBe(SECONDS);
    expect(caller[50]).toBe(0.5);
    expect(caller[150]).toBe(0);
  });

  it.each([
    ['FLAC', Buffer.from('fLaC and what comes behind')],
    ['one channel', wavHeader({ sampleRate: RATE, channels: 1, sample: 's16' }, 8)],
  ])('are not taken of %s', (_what, bytes) => {
    expect(() => new WavPeaks().push(bytes, bytes.length)).toThrow(NotPlainWav);
  });
});

it('takes the same of what a browser has decoded', () => {
  const side = (value: number, first: boolean) =>
    Float32Array.from({ length: FRAMES }, (_, at) => (at < FRAMES / 2 === first ? value : 0));
  expectHalves(peaksOf([side(-0.5, true), side(0.25, false)], SECONDS));
});
