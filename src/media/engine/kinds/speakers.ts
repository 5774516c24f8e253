import type { JobKind } from '../contract.ts';
import { BodyReader } from '../packed-records.ts';

/**
 * Two groups of pieces are one speaker when the mean cosine of their vectors reaches `same`. The cosine of the groups' sums
 * separates less well, because random parts cancel out in a sum.
 */
export interface SpeakerBounds {
  readonly same: number;
  /** The bound on a telephone line. */
  readonly sameNarrow: number;
  /** Two single pieces of one speaker reach this, and hardly any of two speakers do. */
  readonly surelySame: number;
}

/**
 * Bounds of the bundled encoder, whose vectors of one speaker have about 0.6 and of two speakers 0.15; by telephone 0.65 and
 * 0.3. They were fitted to turns of 27 people, none of whom is in the benchmark.
 */
export const BUNDLED_BOUNDS: SpeakerBounds = { same: 0.39, sameNarrow: 0.45, surelySame: 0.7 };

/** An encoder that the operator added. Its vectors cannot be compared with those of another. */
export interface AddedEncoder {
  readonly id: string;
  readonly folder: string;
  readonly bounds: SpeakerBounds;
}

export interface EncoderSource {
  /** Returns null where the bundled encoder serves. */
  choose(): AddedEncoder | null;
  /** Reports that the encoder cannot be used. */
  failed(encoder: AddedEncoder, error: unknown): void;
}

interface SpeakersOptions {
  /** The folder of an added encoder. */
  readonly encoder?: string | undefined;
}

/** Finds who speaks when in a stretch of speech; native/lanes/hear/speakers_job.h has the contract. */
export const speakersJob: JobKind<SpeakersOptions | undefined> = {
  name: 'speakers',
  flatten: (options) => ({ encoder: options?.encoder }),
};

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
