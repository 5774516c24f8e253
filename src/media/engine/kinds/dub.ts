import type { JobKind } from '../contract.ts';
import { BodyReader } from '../packed-records.ts';

/** Samples a second of what is dubbed, and of the voices that are put into it. */
export const DUB_RATE = 48_000;
export const DUB_VOICE_RATE = 24_000;

/** native/lanes/dub/mix_job.h tells the contract. */
export interface MixOptions {
  readonly frames: number;
  readonly channels: 1 | 2;
  /** Frames at either end that are only listened to. */
  readonly before: number;
  readonly after: number;
  /** Whether speech is taken out of the original. */
  readonly removes: boolean;
  readonly duckDb: number;
  readonly voiceDb?: number;
  readonly restDb?: number;
}

/** Takes speech out of a piece of sound and mixes other voices in. */
export const dubMixJob: JobKind<MixOptions> = {
  name: 'dub_mix',
  flatten: ({ duckDb, voiceDb, restDb, ...rest }) => ({
    ...rest,
    duck_db: duckDb,
    voice_db: voiceDb,
    rest_db: restDb,
  }),
};

/** Finds where the sound of a spoken clause begins and ends; native/lanes/dub/edges_job.h tells the contract. */
export const dubEdgesJob: JobKind<void> = { name: 'dub_edges', flatten: () => ({}) };

export interface SoundEdges {
  /** Samples. */
  readonly first: number;
  readonly end: number;
  readonly levelDb: number;
}

export function readEdges(chunk: Uint8Array): SoundEdges {
  const reader = new BodyReader(chunk);
  return { first: reader.u32(), end: reader.u32(), levelDb: reader.f32() };
}
