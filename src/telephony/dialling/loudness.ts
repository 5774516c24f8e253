import type { Clock } from '../../foundation/platform/clock.ts';
import { measureAudio, type WireFormat } from '../../media/engine/index.ts';

export const SIDES = ['caller', 'agent'] as const;
export type Side = (typeof SIDES)[number];

/** Decibels below full scale, rounded; SILENCE when there is no audio. */
export type Levels = Readonly<Record<Side, number>>;

export const SILENCE = -90;
const REPORT_EVERY_MS = 100;

export class Loudness {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #notify: (levels: Levels) => void;
  readonly #format: WireFormat;
  readonly #energy = { caller: { sum: 0, samples: 0 }, agent: { sum: 0, samples: 0 } };
  #reportedAt: number;

  constructor(
    clock: Pick<Clock, 'monotonic'>,
    notify: (levels: Levels) => void,
    format: WireFormat = 'pcmu',
  ) {
    this.#clock = clock;
    this.#format = format;
    this.#notify = notify;
    this.#reportedAt = clock.monotonic();
  }

  heard(side: Side, frames: Uint8Array): void {
    const { energy, samples } = measureAudio(this.#format, frames);
    this.#energy[side].sum += energy;
    this.#energy[side].samples += samples;
    const now = this.#clock.monotonic();
    if (now - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = now;
    this.#notify({ caller: this.#take('caller'), agent: this.#take('agent') });
  }

  #take(side: Side): number {
    const { sum, samples } = this.#energy[side];
    this.#energy[side] = { sum: 0, samples: 0 };
    if (sum === 0) return SILENCE;
    return Math.max(SILENCE, Math.round(10 * Math.log10(sum / samples)));
  }
}
