import type { JobKind } from '../contract.ts';
import { BodyReader } from '../packed-records.ts';

/** Finds who speaks when in a stretch of speech; native/lanes/hear/speakers_job.h has the contract. */
export const speakersJob: JobKind<void> = { name: 'speakers', flatten: () => ({}) };

export const SPEAKERS_SECONDS = 64;

export interface SpeakerSegment {
  readonly start: number;
  readonly end: number;
  readonly alone: number;
  /** The vectors of different voices are more alike on a telephone line. */
  readonly narrow: boolean;
  /** The embedding has unit length; it is null where the person speaks too little alone. */
  readonly vector: Float32Array | null;
}

export function readSpeakerSegments(chunk: Uint8Array): readonly SpeakerSegment[] {
  const reader = new BodyReader(chunk);
  const narrow = reader.u32() === 1;
  return Array.from({ length: reader.u32() }, () => {
    const [start, end, alone] = [reader.f32(), reader.f32(), reader.f32()];
    const size = reader.u32();
    const vector = size === 0 ? null : Float32Array.from({ length: size }, () => reader.f32());
    return { start, end, alone, narrow, vector };
  });
}
