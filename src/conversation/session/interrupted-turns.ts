import type { Clock } from '../../foundation/platform/clock.ts';
import type { AgentTurn } from './agent-turn.ts';

/** How long a new turn's question to the brain waits for what was heard of the one before: a lane tells within a tick. */
const REPORT_TIMEOUT_MS = 100;

/** Turns that were left while they were playing: the lane still tells what was heard of them. */
export class InterruptedTurns {
  readonly #clock: Clock;
  readonly #turns = new Map<number, AgentTurn>();
  #waiting: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isWaiting(): boolean {
    return this.#turns.size > 0;
  }

  add(turn: AgentTurn): void {
    this.#turns.set(turn.speech, turn);
  }

  has = (speech: number): boolean => this.#turns.has(speech);
  get = (speech: number): AgentTurn | null => this.#turns.get(speech) ?? null;
  delete = (speech: number): boolean => this.#turns.delete(speech);

  /** Resolves when nothing is waited for, or soon. */
  whenReported(): Promise<void> {
    if (!this.isWaiting) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.#clock.after(REPORT_TIMEOUT_MS, resolve);
      this.#waiting.push(() => {
        stop();
        resolve();
      });
    });
  }

  /** Lets those go who wait, if all is known. */
  notifyReported(): void {
    if (!this.isWaiting) for (const go of this.#waiting.splice(0)) go();
  }
}
