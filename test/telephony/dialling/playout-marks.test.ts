import { describe, expect, it } from 'vitest';
import { StreamLeg } from '../../../src/telephony/carriers/streams/index.ts';
import { PlaybackMediaHandler } from '../../../src/telephony/dialling/playback-media-handler.ts';
import { PlayoutMarks } from '../../../src/telephony/dialling/playout-marks.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const FRAME = new Uint8Array(160).fill(0x7f);

function stage(bufferMs: number) {
  const clock = new ManualClock();
  const sent: string[] = [];
  const waiting = new Map<string, () => void>();
  let to = 0;
  let back: (name: string) => void = () => undefined;
  const send = (text: string) => {
    const { event, mark } = JSON.parse(text);
    sent.push(event);
    if (event === 'media') to = Math.max(to, clock.monotonic() + bufferMs) + 20;
    else if (event === 'mark') {
      const stop = clock.after(Math.max(0, to - clock.monotonic()), () => {
        waiting.delete(mark.name);
        back(mark.name);
      });
      waiting.set(mark.name, stop);
    } else if (event === 'clear') {
      to = clock.monotonic();
      for (const [name, stop] of waiting) {
        stop();
        back(name);
      }
      waiting.clear();
    }
  };
  const leg = new StreamLeg({ send, close: () => undefined }, 'MZ1', clock);
  leg.bind({ audio: () => undefined, marked: (name) => back(name) });
  return {
    clock,
    leg,
    sent,
    marked: (take: (name: string) => void) => {
      back = take;
    },
  };
}

function speak({ clock, leg }: ReturnType<typeof stage>, marks: PlayoutMarks, ms: number): void {
  for (let at = 0; at < ms; at += 20) {
    leg.send(FRAME);
    marks.sent(leg, FRAME);
    clock.advance(20);
  }
}

describe('marks behind what an agent says', () => {
  it('tell by how much later the carrier plays it', () => {
    const far = stage(800);
    const lags: number[] = [];
    const marks = new PlayoutMarks({ clock: far.clock, owner: 'ocl_1', lag: (ms) => lags.push(ms) });
    far.marked((name) => marks.marked(name));
    speak(far, marks, 4_000);
    expect(lags).toEqual([800]);
    expect(far.sent.filter((event) => event === 'mark')).toHaveLength(20);
  });

  it('tell nothing of a carrier that plays at once, of what was cleared, and of who spoke before', () => {
    const far = stage(0);
    const lags: number[] = [];
    const lag = (ms: number) => lags.push(ms);
    const marks = new PlayoutMarks({ clock: far.clock, owner: 'ocl_1', lag });
    far.marked((name) => marks.marked(name));
    speak(far, marks, 1_000);
    expect(lags).toEqual([]);
    const late = stage(800);
    const cleared = new PlayoutMarks({ clock: late.clock, owner: 'ocl_2', lag });
    const next = new PlayoutMarks({ clock: late.clock, owner: 'ocl_3', lag });
    late.marked((name) => {
      cleared.marked(name);
      next.marked(name);
    });
    speak(late, cleared, 600);
    cleared.cleared();
    late.leg.clear();
    expect(lags).toEqual([]);
  });
});

describe('a sound on a line', () => {
  it('is over once the carrier has played it, or has not said so for two seconds', () => {
    const ends: number[] = [];
    for (const [bufferMs, hears] of [
      [800, true],
      [0, true],
      [0, false],
    ] as const) {
      const far = stage(bufferMs);
      const began = far.clock.monotonic();
      const done = () => ends.push(far.clock.monotonic() - began);
      const part = new PlaybackMediaHandler({ clock: far.clock, sound: new Uint8Array(8_000), done });
      if (hears) far.marked((name) => part.marked(name));
      part.enter(far.leg);
      for (let ms = 0; ms < 4_000; ms += 20) far.clock.advance(20);
    }
    expect(ends).toEqual([1_800, 1_000, 3_000]);
  });
});
