import type { JobKind } from '../contract.ts';
import { BodyReader } from '../packed-records.ts';

/** Finds who speaks when in a stretch of speech; native/lanes/hear/speakers_job.h has the contract. */
export const speakersJob: JobKind<void> = { name: 'speakers', flatten: () => ({}) };

/** The longest input. */
export const SPEAKERS_SECONDS = 64;

/** A piece of speech of one person. Pieces overlap where people do. */
export interface VoicePiece {
  /** Seconds from the input's start. */
  readonly start: number;
  readonly end: number;
  /** Seconds in which nobody else speaks. */
  readonly alone: number;
  /** Whether it came over a telephone line, where voices are more alike. */
  readonly narrow: boolean;
  /** The embedding has unit length; it is null where the person speaks too little alone. */
  readonly vector: Float32Array | null;
}

export function readVoicePieces(chunk: Uint8Array): readonly VoicePiece[] {
  const reader = new BodyReader(chunk);
  const narrow = reader.u32() === 1;
  return Array.from({ length: reader.u32() }, () => {
    const [start, end, alone] = [reader.f32(), reader.f32(), reader.f32()];
    const size = reader.u32();
    const vector = size === 0 ? null : Float32Array.from({ length: size }, () => reader.f32());
    return { start, end, alone, narrow, vector };
  });
}
