import type { JobKind } from '../contract.ts';
import { BodyReader } from '../packed-records.ts';

/** Separates speakers in a stretch of speech; native/lanes/hear/speakers_job.h has the contract. */
export const speakersJob: JobKind<void> = { name: 'speakers', flatten: () => ({}) };

export interface VoiceWindow {
  /** Seconds from the input's start. */
  readonly start: number;
  readonly end: number;
  /** The embedding has unit length; vectors of one speaker have a cosine of about 0.7, those of two about 0.3. */
  readonly vector: Float32Array;
}

const SIZE = 256;

export function readVoiceWindows(chunk: Uint8Array): readonly VoiceWindow[] {
  const reader = new BodyReader(chunk);
  return Array.from({ length: reader.u32() }, () => {
    const start = reader.f32();
    const end = reader.f32();
    return { start, end, vector: Float32Array.from({ length: SIZE }, () => reader.f32()) };
  });
}
