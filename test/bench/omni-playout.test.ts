import { describe, expect, it } from 'vitest';
import { PlayoutBuffer } from '../../src/apps/caller/index.ts';

const FRAME = 160;
const sound = (level = 8_000, length = FRAME): Int16Array =>
  Int16Array.from({ length }, (_, at) => level * Math.sin(at));
const silence = new Int16Array(FRAME);

function take(playout: PlayoutBuffer, ...moments: number[]): void {
  for (const moment of moments) playout.take(sound(), moment);
}
const startsOf = (playout: PlayoutBuffer): number[] => playout.heard.map(({ at }) => at);

describe('a client’s playout buffer', () => {
  it('plays what comes in a burst one frame behind the other, without a break', () => {
    const playout = new PlayoutBuffer();
    take(playout, 100, 100, 100, 130);
    playout.advance(500);
    expect(startsOf(playout)).toEqual([100, 120, 140, 160]);
    expect(playout.breaks).toEqual([]);
  });

  it('counts a break within a speech, however long it is', () => {
    for (const ms of [1, 30, 199, 200, 500, 4_000]) {
      const playout = new PlayoutBuffer();
      take(playout, 0, 20, 40 + ms, 60 + ms);
      expect(playout.breaks).toEqual([{ at: 40 + ms, ms, inSound: true }]);
      playout.advance(10_000);
      expect(startsOf(playout)).toEqual([0, 20, 40 + ms, 60 + ms]);
    }
  });

  it('takes a short break between two clauses for a longer pause, and a long one for what it is', () => {
    for (const [ms, inSound] of [
      [150, false],
      [200, true],
    ] as const) {
      const playout = new PlayoutBuffer();
      playout.take(sound(), 0);
      playout.take(silence, 20);
      playout.take(sound(), 40 + ms);
      expect(playout.breaks).toEqual([{ at: 40 + ms, ms, inSound }]);
    }
  });

  it('counts none between speeches: after one has ended, or was interrupted', () => {
    const playout = new PlayoutBuffer();
    take(playout, 0, 20);
    playout.speechEnds();
    take(playout, 90, 110);
    playout.flush(120);
    take(playout, 150);
    expect(playout.breaks).toEqual([]);
    take(playout, 171);
    expect(playout.breaks).toEqual([{ at: 171, ms: 1, inSound: true }]);
  });

  it('hears of a frame that is cut in its midst what had been played', () => {
    const playout = new PlayoutBuffer();
    take(playout, 0, 0, 0);
    playout.flush(25);
    expect(playout.heard.map(({ at, samples }) => [at, samples.length])).toEqual([
      [0, FRAME],
      [20, 40],
    ]);
    expect(playout.playing).toBe(false);
  });

  it('finds the first sound from a moment on, past silence and past what was heard before', () => {
    const playout = new PlayoutBuffer();
    playout.take(sound(), 0);
    playout.speechEnds();
    playout.take(silence, 100);
    playout.take(sound(40), 120);
    playout.take(sound(), 140);
    playout.advance(159);
    expect(playout.firstSound(50, -45)).toBeNull();
    playout.take(sound(), 160);
    playout.advance(1_000);
    expect(playout.firstSound(50, -45)).toBe(140);
    expect(playout.firstSound(0, -45)).toBe(0);
    expect(playout.firstSound(150, -45)).toBe(160);
  });

  it('gives back what its loudspeaker sounded, silence where nothing played', () => {
    const playout = new PlayoutBuffer();
    take(playout, 0, 100);
    playout.advance(110);
    const out = playout.sounded(10, 8 * 100);
    expect([...out.subarray(0, 80)]).toEqual([...sound().subarray(80)]);
    expect(out.subarray(80, 8 * 90).every((sample) => sample === 0)).toBe(true);
    expect([...out.subarray(8 * 90)]).toEqual([...sound().subarray(0, 80)]);
  });
});

describe('a client that buffers audio', () => {
  it('begins each speech later and hears late frames in time', () => {
    const playout = new PlayoutBuffer(60);
    take(playout, 0, 20, 95, 100);
    playout.advance(1_000);
    expect(startsOf(playout)).toEqual([60, 80, 100, 120]);
    expect(playout.breaks).toEqual([]);
    playout.speechEnds();
    take(playout, 1_000);
    playout.advance(2_000);
    expect(startsOf(playout).at(-1)).toBe(1_060);
  });

  it('counts only what its buffer does not bridge', () => {
    const playout = new PlayoutBuffer(60);
    take(playout, 0, 20, 110);
    expect(playout.breaks).toEqual([{ at: 110, ms: 10, inSound: true }]);
  });

  it('has not heard its buffer when it is told of an interruption', () => {
    const [at0, at60] = [new PlayoutBuffer(), new PlayoutBuffer(60)];
    for (const playout of [at0, at60]) {
      take(playout, 0, 20, 40, 60);
      playout.flush(70);
    }
    const heard = (playout: PlayoutBuffer) =>
      playout.heard.reduce((sum, { samples }) => sum + samples.length, 0) / 8;
    expect([heard(at0), heard(at60)]).toEqual([70, 10]);
  });

  it('lets the end of a speech be heard out before the next', () => {
    const playout = new PlayoutBuffer(120);
    take(playout, 0, 20);
    playout.speechEnds();
    take(playout, 30);
    playout.advance(1_000);
    expect(startsOf(playout)).toEqual([120, 140, 160]);
  });
});
