import type { MediaLeg } from '../carriers/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Quality } from './contract.ts';

/** Who has an answered line: hears the other side and speaks to it. One at a time. */
export interface Part {
  /** The line is theirs: what they say goes to `leg`. */
  enter(leg: MediaLeg): void;
  audio(frames: Uint8Array): void;
  marked?(name: string): void;
  key(digit: string): void;
  /** The line is another's now, or has ended. */
  leave(): void;
}

const ONE_WAY_AFTER_MS = 5_000;

/** The sound of an answered call, and who has it now. */
export class Line {
  readonly leg: MediaLeg;
  readonly #clock: Clock;
  readonly #answeredAt: number;
  #part: Part | null = null;
  #frames = 0;
  #progressAt: number;

  constructor(leg: MediaLeg, clock: Clock) {
    this.leg = leg;
    this.#clock = clock;
    this.#answeredAt = clock.monotonic();
    this.#progressAt = this.#answeredAt;
    leg.bind({
      audio: (frames) => this.#part?.audio(frames),
      marked: (name) => this.#part?.marked?.(name),
    });
  }

  get part(): Part | null {
    return this.#part;
  }

  give(part: Part | null): void {
    const before = this.#part;
    this.#part = part;
    before?.leave();
    this.leg.clear();
    part?.enter(this.leg);
  }

  key(digit: string): void {
    this.#part?.key(digit);
  }

  /** For how long nothing has come. */
  get silentMs(): number {
    const { frames } = this.leg.stats().received;
    if (frames !== this.#frames) {
      this.#frames = frames;
      this.#progressAt = this.#clock.monotonic();
    }
    return this.#clock.monotonic() - this.#progressAt;
  }

  /** From the answer to the last sound that came; a call without any sound was none. */
  get talkedMs(): number {
    return this.#clock.monotonic() - this.#answeredAt - this.silentMs;
  }

  quality(): Quality {
    const { received, sent, mos } = this.leg.stats();
    const since = this.#clock.monotonic() - this.#answeredAt;
    const shown = ({ frames, lost, late, concealed, jitterMs }: typeof received) => ({
      frames,
      lost,
      late,
      concealed,
      jitter_ms: jitterMs,
    });
    return {
      received: shown(received),
      sent: shown(sent),
      mos,
      one_way: received.frames === 0 && since > ONE_WAY_AFTER_MS,
    };
  }
}
