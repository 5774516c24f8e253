import { describe, expect, it } from 'vitest';
import { FarAudio } from '../../../src/telephony/carriers/loopback/far-audio.ts';
import { silence, tone } from '../../../src/telephony/carriers/tones.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

describe('a telephone at the far end', () => {
  it('hears sound, and neither silence without end nor the noise of a line', () => {
    const clock = new ManualClock();
    const audio = new FarAudio({ clock, send: () => undefined, marked: () => undefined });
    audio.start();
    const began = clock.monotonic();
    audio.play(tone([440], 300));
    const heard = audio.hearsUntil;
    expect(heard).toBeGreaterThan(began + 295);
    expect(heard).toBeLessThanOrEqual(began + 300);
    audio.play(silence(5000));
    audio.play(new Uint8Array(8000).fill(0xff - 0x20));
    expect(audio.hearsUntil).toBe(heard);
    audio.play(tone([440], 100));
    expect(audio.hearsUntil).toBeGreaterThan(began + 300 + 5000 + 1000 + 95);
    audio.clear();
    expect(audio.hearsUntil).toBe(began);
    audio.stop();
  });
});
