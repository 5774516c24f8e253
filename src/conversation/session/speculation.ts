import type { AgentTurn } from './agent-turn.ts';
import type { CallerUtterance } from './voice-lane.ts';

/** An answer to what the caller seems to have said to the end. Nothing of it is heard before the endpoint confirms the words,
 * and nothing of it remains when the caller goes on. */
export class Speculation {
  readonly #discarded: (turn: AgentTurn) => void;
  #held: { turn: AgentTurn; text: string } | null = null;

  constructor(discarded: (turn: AgentTurn) => void) {
    this.#discarded = discarded;
  }

  /** The same words again change nothing. */
  begin({ text }: CallerUtterance, newTurn: () => AgentTurn): void {
    if (this.#held?.text === text) return;
    this.discard();
    const turn = newTurn();
    this.#held = { turn, text };
    turn.start();
  }

  /** The turn that answers these words with this number, if it was guessed; what was guessed otherwise is discarded. */
  confirm({ text }: CallerUtterance, id: number): AgentTurn | null {
    const held = this.#held;
    if (held === null || held.text !== text || held.turn.id !== id) {
      this.discard();
      return null;
    }
    this.#held = null;
    return held.turn;
  }

  /** Its voice failed: it can't be what is played. */
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
