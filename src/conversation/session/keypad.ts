import type { Clock } from '../../foundation/platform/clock.ts';
import { KEYPAD } from '../brains/index.ts';
import type { CallerUtterance } from './voice-lane.ts';

/** Longer than between two keys of one number, shorter than anybody waits for an answer. */
const MORE_WITHIN_MS = 1_500;
const DONE = '#';

interface Pressed {
  readonly digits: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Telephones tell keys one by one: those of one number make one turn, not one each. It ends with `#`, or when no more come. */
export class Keypad {
  readonly #clock: Clock;
  readonly #onDone: (utterance: CallerUtterance) => void;
  #pressed: Pressed | null = null;
  #stop: () => void = () => undefined;

  /** `onDone` is given the keys as an utterance. */
  constructor(clock: Clock, onDone: (utterance: CallerUtterance) => void) {
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

  /** More keys may come. */
  get waits(): boolean {
    return this.#pressed !== null;
  }

  /** Who speaks on behind the keys has said both in one turn. */
  before(utterance: CallerUtterance): CallerUtterance {
    const pressed = this.#take();
    if (pressed === null) return utterance;
    const text = `${KEYPAD}${pressed.digits} ${utterance.text}`;
    return { ...utterance, text, startMs: Math.min(pressed.startMs, utterance.startMs) };
  }

  /** What was pressed makes no turn any more. */
  clear(): CallerUtterance | null {
    const pressed = this.#take();
    return pressed && utteranceOf(pressed);
  }

  #take(): Pressed | null {
    this.#stop();
    const pressed = this.#pressed;
    this.#pressed = null;
    if (pressed === null || pressed.digits === DONE) return pressed;
    return { ...pressed, digits: pressed.digits.replace(/#$/, '') };
  }

  #done(): void {
    const pressed = this.#take();
    if (pressed !== null) this.#onDone(utteranceOf(pressed));
  }
}

const utteranceOf = ({ digits, startMs, endMs }: Pressed): CallerUtterance => ({
  utterance: -1,
  text: `${KEYPAD}${digits}`,
  startMs,
  endMs,
  atMs: endMs,
  asrMs: 0,
});
