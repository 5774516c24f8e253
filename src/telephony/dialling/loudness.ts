import type { Clock } from '../../foundation/platform/clock.ts';
import { type MixerFormat, ULAW } from './mixer-format.ts';

export const SIDES = ['caller', 'agent'] as const;
export type Side = (typeof SIDES)[number];

/** Decibels below full scale, rounded; SILENCE when there is no audio. */
export type Levels = Readonly<Record<Side, number>>;

export const SILENCE = -90;
const REPORT_EVERY_MS = 100;
const FULL = 32_768;

export class Loudness {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #notify: (levels: Levels) => void;
  readonly #format: Pick<MixerFormat, 'decode'>;
  readonly #energy = { caller: { sum: 0, samples: 0 }, agent: { sum: 0, samples: 0 } };
  #reportedAt: number;

  constructor(
    clock: Pick<Clock, 'monotonic'>,
    notify: (levels: Levels) => void,
    format: Pick<MixerFormat, 'decode'> = ULAW,
  ) {
    this.#clock = clock;
    this.#format = format;
    this.#notify = notify;
    this.#reportedAt = clock.monotonic();
  }

  heard(side: Side, frames: Uint8Array): void {
    const pcm = this.#format.decode(frames);
    const energy = this.#energy[side];
    for (let at = 0; at < pcm.length; at += 2) energy.sum += (pcm.readInt16LE(at) / FULL) ** 2;
    energy.samples += pcm.length / 2;
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
