import type { JobKind } from '../contract.ts';
import { outOfRange } from '../options.ts';
import { BodyReader } from '../packed-records.ts';

/** A stretch of speech on the time line; in samples. */
export interface TimelineClip {
  /** The position in the file. */
  readonly at: number;
  /** The position in the mix. */
  readonly start: number;
  readonly samples: number;
  readonly fadeIn: number;
  readonly fadeOut: number;
  readonly gain: number;
  /** The seed of the room tone from here on. */
  readonly seed: number;
}

export interface MasterOptions {
  /** PCM16 of one channel, where the clips lie. */
  readonly file: string;
  readonly rate: number;
  /** LUFS. */
  readonly target: number;
  /** dBTP. */
  readonly ceiling: number;
  /** dBFS; absent: none. */
  readonly roomTone?: number | undefined;
  /** dB that served before: kept where it still serves. */
  readonly gain?: number | undefined;
  /** LU that a gain which served before may be off. */
  readonly tolerance?: number;
  /** The gain is taken as it is. */
  readonly fixed?: boolean;
}

export interface Mastered {
  readonly gainDb: number;
  readonly loudness: number;
  readonly truePeak: number;
  readonly range: number;
  readonly shortTerm: number;
  readonly samples: number;
}

/** Makes one sound of many clips; native/lanes/cast/master_job.h tells the contract. */
export const masterJob: JobKind<MasterOptions> = {
  name: 'master',
  flatten: ({ roomTone, fixed = false, ...rest }) => ({ ...rest, room_tone: roomTone, fixed }),
};

const MOST_CLIPS = 100_000;
const CLIP_BYTES = 36;

/** The job's input: clips rising by their start, and how long the whole is. */
export function packTimeline(clips: readonly TimelineClip[], samples: number): Buffer {
  if (clips.length > MOST_CLIPS) outOfRange('clips', `at most ${MOST_CLIPS}`, clips.length);
  const plan = Buffer.alloc(12 + clips.length * CLIP_BYTES);
  plan.writeBigUInt64LE(BigInt(samples), 0);
  plan.writeUInt32LE(clips.length, 8);
  for (const [index, clip] of clips.entries()) {
    const at = 12 + index * CLIP_BYTES;
    plan.writeBigUInt64LE(BigInt(clip.at), at);
    plan.writeBigUInt64LE(BigInt(clip.start), at + 8);
    plan.writeUInt32LE(clip.samples, at + 16);
    plan.writeUInt32LE(clip.fadeIn, at + 20);
    plan.writeUInt32LE(clip.fadeOut, at + 24);
    plan.writeFloatLE(clip.gain, at + 28);
    plan.writeUInt32LE(clip.seed >>> 0, at + 32);
  }
  return plan;
}

export function readMastered(chunk: Uint8Array): Mastered {
  const { f64 } = new BodyReader(chunk);
  return {
    gainDb: f64(),
    loudness: f64(),
    truePeak: f64(),
    range: f64(),
    shortTerm: f64(),
    samples: f64(),
  };
}
