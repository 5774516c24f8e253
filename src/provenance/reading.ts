/** What a recording says of where it was made. */
import { type Engine, MARK_RATE, type MarkReading, readMark, readMarkJob } from '../engine/index.ts';

/** Standard deviations over chance: bench/reports/provenance.md tells how seldom a recording without a mark gets there. */
export const THRESHOLD = 7.5;
/** Of the tag's cells alone, where the pattern was found already; and against what the common cells say. */
const TAG = { least: 4, share: 0.5 };
/** Scores of recordings without a mark, the largest of a window: a Gumbel distribution, fitted in the benchmark. */
export const CHANCE = { place: 4.06, width: 0.27 };
const WINDOW_SECONDS = 5;
const STEP_SECONDS = 2.5;
/** Of longer recordings the windows lie apart. */
const MOST_WINDOWS = 240;

export interface Provenance {
  readonly marked: boolean;
  /** The mark is that of the organization that asks. */
  readonly ours: boolean;
  /** That the answer is right, 0 to 1. */
  readonly confidence: number;
}

/** `pcm`: PCM16 of one channel at MARK_RATE. */
export async function readProvenance(
  engine: Engine,
  pcm: Uint8Array,
  code: string,
  signal?: AbortSignal,
): Promise<Provenance> {
  const seconds = pcm.length / 2 / MARK_RATE;
  const every = Math.max(STEP_SECONDS, (seconds - WINDOW_SECONDS) / MOST_WINDOWS);
  return provenanceOf(readMark(await engine.submit(readMarkJob, { code, every }, pcm, signal).result()));
}

/** How probable it is that of so many windows without a mark one scores as much. */
export function byChance(score: number, windows: number): number {
  const one = Math.exp(-(score - CHANCE.place) / CHANCE.width);
  return -Math.expm1(-one * Math.max(1, windows));
}

export function provenanceOf(reading: MarkReading): Provenance {
  const { whole, common, tag, windows } = reading;
  const score = Math.max(whole, common);
  const marked = score >= THRESHOLD;
  const ours = marked && tag >= TAG.least && tag >= TAG.share * common;
  const chance = byChance(score, windows);
  const confidence = marked ? 1 - chance : windows === 0 ? 0 : Math.min(1, chance * 2);
  return { marked, ours, confidence: Math.round(confidence * 1e6) / 1e6 };
}
