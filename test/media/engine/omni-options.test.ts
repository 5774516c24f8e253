import { describe, expect, it } from 'vitest';
import { type BargeSensitivity, omniLane, readBargeSensitivity } from '../../../src/media/engine/index.ts';

const VOICE = { model: 'piper', language: 'en', accent: 'en-us', styles: [] } as const;
const flat = (barge: BargeSensitivity) =>
  omniLane.flatten({ rate: 8000, language: 'en', voice: VOICE, endpointingMs: 500, barge });

describe('barge sensitivity', () => {
  it.each(['high', 'normal', 'low'] as const)('is %s to the lane', (barge) => {
    expect(flat(barge)).toMatchObject({ barge });
  });

  it('is the level under which nothing interrupts, as a number or as a setting writes it', () => {
    expect(flat(-34.5)).toMatchObject({ barge_dbfs: -34.5 });
    expect(readBargeSensitivity('-34.5')).toBe(-34.5);
    expect(readBargeSensitivity('low')).toBe('low');
  });

  it.each(['loud', '', ' ', '0', 3, -91, Number.NaN])('%j is refused with what was expected', (value) => {
    expect(() => readBargeSensitivity(value)).toThrow(
      /high, normal, low or -90 to 0 dBFS.*barge_sensitivity/,
    );
  });
});

const options = { rate: 8000, language: 'en', voice: VOICE, endpointingMs: 500, barge: 'normal' } as const;

describe('the speaker lock', () => {
  it('is asked for by its name, and absent otherwise', () => {
    expect(omniLane.flatten({ ...options, locksSpeaker: true })).toMatchObject({ primary_speaker: true });
    expect(omniLane.flatten(options).primary_speaker).toBeUndefined();
  });
});

describe('a recording without the caller’s noise', () => {
  it('is asked for by its name, and absent otherwise', () => {
    const lane = omniLane.flatten({ ...options, denoisesRecording: true });
    expect(lane).toMatchObject({ denoise_recording: true });
    expect(omniLane.flatten(options).denoise_recording).toBeUndefined();
  });
});
