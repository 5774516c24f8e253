import type { AgentTurn } from './agent-turn.ts';
import type { CallerUtterance } from './voice-lane.ts';

/**
 * A speculative answer is not played before the endpoint confirms the words, and is discarded when the caller goes
 * on.
 */
export class Speculation {
  readonly #discarded: (turn: AgentTurn) => void;
  #held: { turn: AgentTurn; text: string } | null = null;

  constructor(discarded: (turn: AgentTurn) => void) {
    this.#discarded = discarded;
  }

  begin({ text }: CallerUtterance, newTurn: () => AgentTurn): void {
    if (this.#held?.text === text) return;
    this.discard();
    const turn = newTurn();
    this.#held = { turn, text };
    turn.start();
  }

  /** Returns the turn whose speculation matches these words and this number; discards any other. */
  confirm({ text }: CallerUtterance, id: number): AgentTurn | null {
    const held = this.#held;
    if (held === null || held.text !== text || held.turn.id !== id) {
      this.discard();
      return null;
    }
    this.#held = null;
    return held.turn;
  }

  failed(speech: number): void {
    if (this.#held?.turn.speech === speech) this.discard();
  }

  discard(): void {
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    held.turn.drop();
    this.#discarded(held.turn);
  }
}
