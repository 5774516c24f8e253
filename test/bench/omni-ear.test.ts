import { describe, expect, it } from 'vitest';
import { PlayoutBuffer } from '../../src/apps/caller/index.ts';

const FRAME = 160;
const sound = (level = 8_000, length = FRAME): Int16Array =>
  Int16Array.from({ length }, (_, at) => level * Math.sin(at));
const silence = new Int16Array(FRAME);

/** Frames of 20 ms that come at these moments. */
function take(ear: PlayoutBuffer, ...moments: number[]): void {
  for (const moment of moments) ear.take(sound(), moment);
}
const startsOf = (ear: PlayoutBuffer): number[] => ear.heard.map(({ at }) => at);

describe('a client’s playout buffer', () => {
  it('plays what comes in a burst one frame behind the other, without a break', () => {
    const ear = new PlayoutBuffer();
    take(ear, 100, 100, 100, 130);
    ear.advance(500);
    expect(startsOf(ear)).toEqual([100, 120, 140, 160]);
    expect(ear.breaks).toEqual([]);
  });

  it('counts a break within a speech, however long it is', () => {
    for (const ms of [1, 30, 199, 200, 500, 4_000]) {
      const ear = new PlayoutBuffer();
      take(ear, 0, 20, 40 + ms, 60 + ms);
      expect(ear.breaks).toEqual([{ at: 40 + ms, ms, inSound: true }]);
      ear.advance(10_000);
      expect(startsOf(ear)).toEqual([0, 20, 40 + ms, 60 + ms]);
    }
  });

  it('takes a short break between two clauses for a longer pause, and a long one for what it is', () => {
    for (const [ms, inSound] of [
      [150, false],
      [200, true],
    ] as const) {
      const ear = new PlayoutBuffer();
      ear.take(sound(), 0);
      ear.take(silence, 20);
      ear.take(sound(), 40 + ms);
      expect(ear.breaks).toEqual([{ at: 40 + ms, ms, inSound }]);
    }
  });

  it('counts none between speeches: after one has ended, or was cut', () => {
    const ear = new PlayoutBuffer();
    take(ear, 0, 20);
    ear.speechEnds();
    take(ear, 90, 110);
    ear.flush(120);
    take(ear, 150);
    expect(ear.breaks).toEqual([]);
    take(ear, 171);
    expect(ear.breaks).toEqual([{ at: 171, ms: 1, inSound: true }]);
  });

  it('hears of a frame that is cut in its midst what had been played', () => {
    const ear = new PlayoutBuffer();
    take(ear, 0, 0, 0);
    ear.flush(25);
    expect(ear.heard.map(({ at, samples }) => [at, samples.length])).toEqual([
      [0, FRAME],
      [20, 40],
    ]);
    expect(ear.playing).toBe(false);
  });

  it('finds the first sound from a moment on, past silence and past what was heard before', () => {
    const ear = new PlayoutBuffer();
    ear.take(sound(), 0);
    ear.speechEnds();
    ear.take(silence, 100);
    ear.take(sound(40), 120);
    ear.take(sound(), 140);
    ear.advance(159);
    expect(ear.firstSound(50, -45)).toBeNull();
    ear.take(sound(), 160);
    ear.advance(1_000);
    expect(ear.firstSound(50, -45)).toBe(140);
    expect(ear.firstSound(0, -45)).toBe(0);
    expect(ear.firstSound(150, -45)).toBe(160);
  });

  it('gives back what its loudspeaker sounded, silence where nothing played', () => {
    const ear = new PlayoutBuffer();
    take(ear, 0, 100);
    ear.advance(110);
    const out = ear.sounded(10, 8 * 100);
    expect([...out.subarray(0, 80)]).toEqual([...sound().subarray(80)]);
    expect(out.subarray(80, 8 * 90).every((sample) => sample === 0)).toBe(true);
    expect([...out.subarray(8 * 90)]).toEqual([...sound().subarray(0, 80)]);
  });
});

describe('a client that keeps some of the sound back', () => {
  it('begins each speech later and hears late frames in time', () => {
    const ear = new PlayoutBuffer(60);
    take(ear, 0, 20, 95, 100);
    ear.advance(1_000);
    expect(startsOf(ear)).toEqual([60, 80, 100, 120]);
    expect(ear.breaks).toEqual([]);
    ear.speechEnds();
    take(ear, 1_000);
    ear.advance(2_000);
    expect(startsOf(ear).at(-1)).toBe(1_060);
  });

  it('counts only what its buffer does not bridge', () => {
    const ear = new PlayoutBuffer(60);
    take(ear, 0, 20, 110);
    expect(ear.breaks).toEqual([{ at: 110, ms: 10, inSound: true }]);
  });

  it('has not heard what waits when it is told of a cut', () => {
    const [at0, at60] = [new PlayoutBuffer(), new PlayoutBuffer(60)];
    for (const ear of [at0, at60]) {
      take(ear, 0, 20, 40, 60);
      ear.flush(70);
    }
    const heard = (ear: PlayoutBuffer) => ear.heard.reduce((sum, { samples }) => sum + samples.length, 0) / 8;
    expect([heard(at0), heard(at60)]).toEqual([70, 10]);
  });

  it('lets the end of a speech be heard out before the next', () => {
    const ear = new PlayoutBuffer(120);
    take(ear, 0, 20);
    ear.speechEnds();
    take(ear, 30);
    ear.advance(1_000);
    expect(startsOf(ear)).toEqual([120, 140, 160]);
  });
});
