import type { Clock } from '../../foundation/platform/clock.ts';
import type { AgentTurn } from './agent-turn.ts';

/**
 * A new turn's request to the brain waits this long for the playout of the previous one; a lane reports it within a
 * tick.
 */
const REPORT_TIMEOUT_MS = 100;

export class PendingPlayoutReports {
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

  notifyReported(): void {
    if (!this.isWaiting) for (const go of this.#waiting.splice(0)) go();
  }
}
