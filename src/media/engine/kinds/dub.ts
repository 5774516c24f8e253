import type { JobKind } from '../contract.ts';
import { BodyReader } from '../packed-records.ts';

export const DUB_RATE = 48_000;
export const DUB_VOICE_RATE = 24_000;

/** native/lanes/dub/mix_job.h has the contract. */
export interface MixOptions {
  readonly frames: number;
  readonly channels: 1 | 2;
  /** The frames at either end are context and produce no output. */
  readonly before: number;
  readonly after: number;
  readonly removes: boolean;
  readonly duckDb: number;
  readonly voiceDb?: number;
  readonly restDb?: number;
}

export const dubMixJob: JobKind<MixOptions> = {
  name: 'dub_mix',
  flatten: ({ duckDb, voiceDb, restDb, ...rest }) => ({
    ...rest,
    duck_db: duckDb,
    voice_db: voiceDb,
    rest_db: restDb,
  }),
};

export const dubEdgesJob: JobKind<void> = { name: 'dub_edges', flatten: () => ({}) };

export interface SoundEdges {
  readonly first: number;
  readonly end: number;
  readonly levelDb: number;
}

export function readEdges(chunk: Uint8Array): SoundEdges {
  const reader = new BodyReader(chunk);
  return { first: reader.u32(), end: reader.u32(), levelDb: reader.f32() };
}
