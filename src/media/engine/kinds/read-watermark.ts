import type { JobKind } from '../contract.ts';
import { BodyReader } from '../packed-records.ts';

export const WATERMARK_RATE = 8000;
const TAG_BITS = 64;

export interface ReadWatermarkOptions {
  /** The code has 32 hexadecimal digits: the deployment's, then the tag's. */
  readonly code: string;
  readonly every?: number;
}

/** Searches PCM16 for a watermark; native/lanes/provenance/detect_job.h has the contract. */
export const readWatermarkJob: JobKind<ReadWatermarkOptions> = {
  name: 'read_mark',
  flatten: ({ code, every }) => ({ code, every }),
};

/** The reading of the window with the strongest evidence. Scores are standard deviations above chance. */
export interface WatermarkReading {
  readonly windows: number;
  readonly at: number;
  readonly whole: number;
  readonly common: number;
  readonly tag: number;
  readonly speed: number;
  readonly bits: readonly number[];
}

export function readWatermark(chunk: Uint8Array): WatermarkReading {
  const reader = new BodyReader(chunk);
  const [windows, at, whole, common, tag, speed] = Array.from({ length: 6 }, () => reader.f32()) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const bits = Array.from({ length: TAG_BITS }, () => reader.f32());
  return { windows, at, whole, common, tag, speed, bits };
}
