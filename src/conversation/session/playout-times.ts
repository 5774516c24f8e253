import type { PlayedSegment } from './voice-lane.ts';

/** The times at which the caller began to hear each segment of the running turn. */
export class PlayoutTimes {
  /** By speech, then by segment. */
  readonly #began = new Map<number, Map<number, number>>();

  has(speech: number): boolean {
    return this.#began.has(speech);
  }

  /** The segment that is heard now, and since when the speech is; null: nothing of it was heard. */
  latest(
    speech: number,
  ): { readonly segment: number; readonly startMs: number; readonly atMs: number } | null {
    const began = this.#began.get(speech);
    if (began === undefined) return null;
    const segment = Math.max(...began.keys());
    return { segment, startMs: Math.min(...began.values()), atMs: began.get(segment) ?? 0 };
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
