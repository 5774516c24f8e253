import type { Clock } from '../../foundation/platform/clock.ts';
import { KEYPAD } from '../brains/index.ts';
import type { CallerUtterance } from './voice-lane.ts';

/** The timeout is longer than a pause between two keys of one number and shorter than callers wait for an answer. */
const INTER_DIGIT_TIMEOUT_MS = 1_500;
const TERMINATOR = '#';

interface CollectedDigits {
  readonly digits: string;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Telephones send keys one at a time. The keys of one number make one turn, which ends with `#` or after the timeout.
 */
export class DtmfCollector {
  readonly #clock: Clock;
  readonly #onDone: (utterance: CallerUtterance) => void;
  #pressed: CollectedDigits | null = null;
  #stop: () => void = () => undefined;

  constructor(clock: Clock, onDone: (utterance: CallerUtterance) => void) {
    this.#clock = clock;
    this.#onDone = onDone;
  }

  add(digits: string, atMs: number): void {
    this.#stop();
    const before = this.#pressed;
    this.#pressed = {
      digits: (before?.digits ?? '') + digits,
      startMs: before?.startMs ?? atMs,
      endMs: atMs,
    };
    if (digits.endsWith(TERMINATOR)) this.#done();
    else this.#stop = this.#clock.after(INTER_DIGIT_TIMEOUT_MS, () => this.#done());
  }

  get isCollecting(): boolean {
    return this.#pressed !== null;
  }

  /** Keys followed by speech make one turn. */
  prependTo(utterance: CallerUtterance): CallerUtterance {
    const pressed = this.#take();
    if (pressed === null) return utterance;
    const text = `${KEYPAD}${pressed.digits} ${utterance.text}`;
    return { ...utterance, text, startMs: Math.min(pressed.startMs, utterance.startMs) };
  }

  clear(): CallerUtterance | null {
    const pressed = this.#take();
    return pressed && utteranceOf(pressed);
  }

  #take(): CollectedDigits | null {
    this.#stop();
    const pressed = this.#pressed;
    this.#pressed = null;
    if (pressed === null || pressed.digits === TERMINATOR) return pressed;
    return { ...pressed, digits: pressed.digits.replace(/#$/, '') };
  }

  #done(): void {
    const pressed = this.#take();
    if (pressed !== null) this.#onDone(utteranceOf(pressed));
  }
}

const utteranceOf = ({ digits, startMs, endMs }: CollectedDigits): CallerUtterance => ({
  utterance: -1,
  text: `${KEYPAD}${digits}`,
  startMs,
  endMs,
  atMs: endMs,
  asrMs: 0,
});
