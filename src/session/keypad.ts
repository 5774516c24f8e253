import type { Clock } from '../platform/clock.ts';

/** Stands before what was pressed, where the caller's words stand. */
export const KEYPAD = '(keypad) ';
/** Longer than between two keys of one number, shorter than anybody waits for an answer. */
const MORE_WITHIN_MS = 1_500;
const DONE = '#';

export interface Pressed {
  readonly digits: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Telephones tell keys one by one: those of one number make one turn, not one each. It ends with `#`, or when no more come. */
export class Keypad {
  readonly #clock: Clock;
  readonly #onDone: (pressed: Pressed) => void;
  #pressed: Pressed | null = null;
  #stop: () => void = () => undefined;

  constructor(clock: Clock, onDone: (pressed: Pressed) => void) {
    this.#clock = clock;
    this.#onDone = onDone;
  }

  press(digits: string, atMs: number): void {
    this.#stop();
    const before = this.#pressed;
    this.#pressed = {
      digits: (before?.digits ?? '') + digits,
      startMs: before?.startMs ?? atMs,
      endMs: atMs,
    };
    if (digits.endsWith(DONE)) this.#done();
    else this.#stop = this.#clock.after(MORE_WITHIN_MS, () => this.#done());
  }

  /** What was pressed and has made no turn yet; it makes none of its own any more. */
  take(): Pressed | null {
    this.#stop();
    const pressed = this.#pressed;
    this.#pressed = null;
    if (pressed === null || pressed.digits === DONE) return pressed;
    return { ...pressed, digits: pressed.digits.replace(/#$/, '') };
  }

  #done(): void {
    const pressed = this.take();
    if (pressed !== null) this.#onDone(pressed);
  }
}
