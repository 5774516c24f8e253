import type { JobKind } from '../contract.ts';
import { outOfRange } from '../options.ts';
import { BodyReader } from '../packed-records.ts';

export interface TimelineClip {
  readonly at: number;
  readonly start: number;
  readonly samples: number;
  readonly fadeIn: number;
  readonly fadeOut: number;
  readonly gain: number;
  readonly seed: number;
}

export interface MasterOptions {
  readonly file: string;
  readonly rate: number;
  /** The unit is LUFS. */
  readonly target: number;
  /** The unit is dBTP. */
  readonly ceiling: number;
  readonly roomTone?: number | undefined;
  /** An earlier gain in dB, which is reused while it stays within the tolerance. */
  readonly gain?: number | undefined;
  readonly tolerance?: number;
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

/** Renders many clips into one audio file; native/lanes/cast/master_job.h has the contract. */
export const masterJob: JobKind<MasterOptions> = {
  name: 'master',
  flatten: ({ roomTone, fixed = false, ...rest }) => ({ ...rest, room_tone: roomTone, fixed }),
};

const MOST_CLIPS = 100_000;
const CLIP_BYTES = 36;

/** The clips must be sorted by start. */
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
