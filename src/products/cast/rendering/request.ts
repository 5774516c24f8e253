import type { AudioFormat } from './output.ts';

export interface RenderRequest {
  readonly format: AudioFormat;
  readonly stems: boolean;
  readonly loudness_lufs: number;
  /** With a null level, pauses are digital silence. */
  readonly room_tone_dbfs: number | null;
}

/** The credit reservation of a render lasts from its submission to its end. */
export const renderReservationId = (renderId: string): string => `hold_${renderId}`;
/** The reservation outlasts any queue. */
export const RESERVATION_MS = 7 * 24 * 3600 * 1000;
