import type { PlayedSegment } from './voice-lane.ts';

export class PlayoutTimes {
  readonly #began = new Map<number, Map<number, number>>();

  has(speech: number): boolean {
    return this.#began.has(speech);
  }

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

  /** Returns the span from the first to the last played audio, including pauses, and forgets the speech. */
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
