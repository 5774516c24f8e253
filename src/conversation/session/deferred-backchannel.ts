import type { Clock } from '../../foundation/platform/clock.ts';
import type { AgentTurn } from './agent-turn.ts';
import type { CallerUtterance } from './voice-lane.ts';

/**
 * A backchannel may begin this long before the end of the question; the agent is ducked meanwhile and then
 * continues.
 */
const IN_ITS_LAST_WORDS_MS = 1_500;

export const endsWithQuestion = (text: string): boolean => /[?？]["'”»)\]*\s]*$/u.test(text);

/** A "yes" during the last words of a question looks like a backchannel and is the answer. */
export class DeferredBackchannel {
  readonly #clock: Clock;
  #deferred: { utterance: CallerUtterance; turn: AgentTurn; at: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns true where only the end of the agent's question decides whether the backchannel is an answer. */
  defer(utterance: CallerUtterance, turn: AgentTurn): boolean {
    if (!turn.done || !endsWithQuestion([...turn.words.texts.values()].join(' '))) return false;
    this.#deferred = { utterance, turn, at: this.#clock.monotonic() };
    return true;
  }

  confirmedFor(turn: AgentTurn): CallerUtterance | null {
    const deferred = this.#deferred;
    if (deferred?.turn !== turn || this.#clock.monotonic() - deferred.at > IN_ITS_LAST_WORDS_MS) return null;
    this.#deferred = null;
    return deferred.utterance;
  }

  takeUnconfirmed(): { utterance: CallerUtterance; turnId: number } | null {
    const deferred = this.#deferred;
    this.#deferred = null;
    return deferred && { utterance: deferred.utterance, turnId: deferred.turn.id };
  }
}
