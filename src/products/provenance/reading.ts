import {
  type CapacityShare,
  type Engine,
  readWatermark,
  readWatermarkJob,
  WATERMARK_RATE,
  type WatermarkReading,
} from '../../media/engine/index.ts';

/**
 * The bound on the false-positive rate: a recording of other origin is taken for this deployment's at most twice in
 * four million.
 */
export const RARE = 5e-7;
/** The delays and speeds tried in a window: kTried of native/dsp/watermark/detector.h. */
const TRIED = 81_120;
/**
 * The first thresholds hold for the tag's own cells where the pattern was found; the share compares with the common
 * cells.
 */
const TAG = { least: 4, share: 0.5 };
const WINDOW_SECONDS = 5;
const STEP_SECONDS = 2.5;
/** The windows of longer recordings lie apart. */
const MOST_WINDOWS = 240;

export interface Provenance {
  readonly marked: boolean;
  /** It is true where the watermark is the asking organization's. */
  readonly ours: boolean;
  /** The probability that the answer is right, from 0 to 1. */
  readonly confidence: number;
}

/** Takes mono PCM16 at MARK_RATE. */
export async function readProvenance(
  engine: Engine,
  pcm: Uint8Array,
  code: string,
  signal?: AbortSignal,
  share: CapacityShare = 'live',
): Promise<Provenance> {
  const seconds = pcm.length / 2 / WATERMARK_RATE;
  const every = Math.max(STEP_SECONDS, (seconds - WINDOW_SECONDS) / MOST_WINDOWS);
  return provenanceOf(
    readWatermark(await engine.submit(readWatermarkJob, { code, every }, pcm, signal, share).result()),
  );
}

/** Hoeffding's bound on the probability that one of this many windows without a watermark scores as high. */
export const byChance = (score: number, windows: number): number =>
  Math.min(1, TRIED * Math.max(1, windows) * Math.exp((-score * score) / 2));

/** The score from which audio of this many windows counts as watermarked. */
export const thresholdOf = (windows: number): number =>
  Math.sqrt(2 * Math.log((TRIED * Math.max(1, windows)) / RARE));

export function provenanceOf(reading: WatermarkReading): Provenance {
  const { whole, common, tag, windows } = reading;
  const score = Math.max(whole, common);
  const marked = score >= thresholdOf(windows);
  const ours = marked && tag >= TAG.least && tag >= TAG.share * common;
  const chance = byChance(score, windows);
  const confidence = marked ? 1 - chance : windows === 0 ? 0 : Math.min(1, chance * 2);
  return { marked, ours, confidence: Math.round(confidence * 1e6) / 1e6 };
}
