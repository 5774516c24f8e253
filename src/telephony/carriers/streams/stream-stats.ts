import type { Clock } from '../../../foundation/platform/clock.ts';
import type { DirectionStats } from '../contract.ts';

export type ArrivalStats = Omit<DirectionStats, 'clipped'>;

const FRAME_MS = 20;
/** A frame this late would miss its playout in a call with a usual jitter buffer. */
const LATE_MS = 100;

export class StreamStats {
  readonly #clock: Clock;
  #frames = 0;
  #lost = 0;
  #late = 0;
  #newest = 0;
  #firstAt = 0;
  #firstChunk = 0;
  #lastTransit = 0;
  #jitterMs = 0;
  #lastAt: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get lastAt(): number | null {
    return this.#lastAt;
  }

  frame(chunk: number): void {
    const now = this.#clock.monotonic();
    if (this.#lastAt === null) {
      this.#firstAt = now;
      this.#firstChunk = Number.isFinite(chunk) ? chunk : 0;
    }
    this.#lastAt = now;
    this.#frames += 1;
    if (!Number.isFinite(chunk)) return;
    if (this.#newest > 0 && chunk > this.#newest + 1) this.#lost += chunk - this.#newest - 1;
    this.#newest = Math.max(this.#newest, chunk);
    this.#arrived(now - this.#firstAt - (chunk - this.#firstChunk) * FRAME_MS);
  }

  /** Jitter follows RFC 3550: a sixteenth of each change in transit. */
  #arrived(transit: number): void {
    this.#jitterMs += (Math.abs(transit - this.#lastTransit) - this.#jitterMs) / 16;
    this.#lastTransit = transit;
    if (transit > LATE_MS) this.#late += 1;
  }

  read(): ArrivalStats {
    const round = (value: number) => Math.round(value * 10) / 10;
    return {
      frames: this.#frames,
      lost: this.#lost,
      late: this.#late,
      concealed: null,
      jitterMs: round(this.#jitterMs),
    };
  }
}

/**
 * The estimate follows the E-model of ITU-T G.107 for G.711 without concealment (Bpl 4.3), with the delay of a jitter
 * buffer of twice the jitter.
 */
export function estimatedMos({ frames, lost, late, jitterMs }: ArrivalStats): number | null {
  if (frames === 0) return null;
  const loss = (100 * ((lost ?? 0) + (late ?? 0))) / (frames + (lost ?? 0));
  const delay = 60 + 2 * (jitterMs ?? 0);
  const r = 93.2 - 0.024 * delay - 0.11 * Math.max(0, delay - 177.3) - 95 * (loss / (loss + 4.3));
  const bounded = Math.min(100, Math.max(0, r));
  const mos = 1 + 0.035 * bounded + bounded * (bounded - 60) * (100 - bounded) * 7e-6;
  return Math.round(Math.min(4.5, Math.max(1, mos)) * 100) / 100;
}
