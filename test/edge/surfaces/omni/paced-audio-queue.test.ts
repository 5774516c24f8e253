// @requirement Omni: Audio that arrives faster than real time is buffered up to a limit.
import { describe, expect, it } from 'vitest';
import { PacedAudioQueue } from '../../../../src/edge/surfaces/omni/paced-audio-queue.ts';
import { AudioRateLimiter } from '../../../../src/edge/surfaces/omni/rate-limits.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';

const RATE = 8000;
const FRAME_MS = 20;
const frame = (value: number) => new Uint8Array((2 * RATE * FRAME_MS) / 1000).fill(value);

function backlog() {
  const clock = new ManualClock();
  const heard: number[] = [];
  const pace = new AudioRateLimiter(clock, RATE);
  const forward = (pcm: Uint8Array) => void heard.push(pcm[0]!);
  return {
    clock,
    heard,
    backlog: new PacedAudioQueue({ clock, rateLimiter: pace, bytesPerSecond: 2 * RATE, forward }),
  };
}

describe('audio that comes faster than it was spoken', () => {
  it('waits, and is heard in order and in its own time', () => {
    const { clock, heard, backlog: waiting } = backlog();
    for (let sent = 0; sent < 1_000; sent++) expect(waiting.add(frame(sent % 200))).toBe(true);
    expect(heard, 'two seconds at once').toHaveLength(100);
    for (let passed = 0; passed < 500; passed++) clock.advance(20);
    expect(heard.length).toBeGreaterThan(590);
    expect(heard.length).toBeLessThan(620);
    for (let passed = 0; passed < 500; passed++) clock.advance(20);
    expect(heard).toEqual(Array.from({ length: 1_000 }, (_, at) => at % 200));
    expect(clock.timers, 'nothing is looked for any more').toBe(0);
  });

  it('is kept although the frame’s bytes are used again', () => {
    const { clock, heard, backlog: waiting } = backlog();
    const bytes = frame(1);
    for (let sent = 0; sent < 101; sent++) waiting.add(bytes);
    bytes.fill(9);
    clock.advance(40);
    expect(heard.at(-1)).toBe(1);
  });

  it('is too much behind two minutes, and gone with the call', () => {
    const { clock, heard, backlog: waiting } = backlog();
    let taken = 0;
    while (waiting.add(frame(1))) taken++;
    expect(taken).toBe(100 + 6_000);
    waiting.clear();
    clock.advance(1_000);
    expect(heard).toHaveLength(100);
    expect(clock.timers).toBe(0);
  });
});
