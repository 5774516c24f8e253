import type { AudioFormat } from './output.ts';

/** What a render is asked to be. */
export interface RenderRequest {
  readonly format: AudioFormat;
  readonly stems: boolean;
  readonly loudness_lufs: number;
  /** Null: pauses are silent. */
  readonly room_tone_dbfs: number | null;
}

/** What is promised for a render, from its submission to its end. */
export const renderReservationId = (renderId: string): string => `hold_${renderId}`;
/** Longer than any queue. */
export const RESERVATION_MS = 7 * 24 * 3600 * 1000;
