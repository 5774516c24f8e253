import type { BrainError } from '../conversation/brains/index.ts';
import type { ComponentHealth } from '../edge/server/index.ts';
import type { Clock } from '../foundation/platform/clock.ts';

const REPORTED_FOR_MS = 15 * 60_000;

/** Health reports show the last fault of each language model, because callers are answered without it. */
export class BrainFaults {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #last = new Map<string, { at: number; said: string }>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  note(brain: string, { fault, message }: Pick<BrainError, 'fault' | 'message'>): void {
    this.#last.set(brain, { at: this.#clock.now(), said: `${fault}: ${message}` });
  }

  parts(): ComponentHealth[] {
    const now = this.#clock.now();
    return [...this.#last]
      .filter(([, { at }]) => now - at < REPORTED_FOR_MS)
      .map(([brain, { at, said }]) => ({
        name: `brain ${brain}`,
        ready: false,
        required: false,
        detail: `failed ${Math.round((now - at) / 1000)} s ago, ${said}`,
      }));
  }
}
