import type { PlayedSegment } from './voice-lane.ts';

/** The times at which the caller began to hear each segment of the running turn. */
export class PlayoutTimes {
  /** By speech, then by segment. */
  readonly #began = new Map<number, Map<number, number>>();

  has(speech: number): boolean {
    return this.#began.has(speech);
  }

  started(speech: number, segment: number, atMs: number): void {
    const segments = this.#began.get(speech) ?? new Map<number, number>();
    if (!segments.has(segment)) segments.set(segment, atMs);
    this.#began.set(speech, segments);
  }

  /** From the first sound to the last that was heard, pauses between pieces counted; the speech is forgotten. */
  take(speech: number, segments: readonly PlayedSegment[]): { startMs: number; endMs: number } {
    const began = this.#began.get(speech) ?? new Map<number, number>();
    this.#began.delete(speech);
    const startMs = began.size === 0 ? 0 : Math.min(...began.values());
    const ends = segments
      .filter(({ playedMs }) => playedMs > 0)
      .map(({ segment, playedMs }) => (began.get(segment) ?? startMs) + playedMs);
    return { startMs, endMs: Math.max(startMs, ...ends) };
  }
}
