import type { Clock } from '../../foundation/platform/clock.ts';
import type { Brain, BrainLanguage } from '../brains/index.ts';
import type { TurnFailure } from './agent-turn.ts';
import { isSpeakable } from './clause-splitter.ts';
import type { EndReason } from './contract.ts';

const MAX_IN_ROW = 3;
/** The check of the brain takes no longer than the farewell that plays meanwhile. */
const PROOF_WITHIN_MS = 3_500;

/**
 * The party at fault for a turn without an answer: the platform with its brain, the client with what it gave
 * the agent (persona, tools and their results), or either.
 */
const FAULTS: Readonly<Record<TurnFailure, 'platform' | 'client' | 'either'>> = {
  brain_unreachable: 'platform',
  brain_timeout: 'platform',
  brain_overloaded: 'platform',
  brain_garbage: 'platform',
  brain_refused: 'either',
  brain_silent: 'either',
  tool_rounds_exceeded: 'client',
  recognition_failed: 'platform',
};

export interface FailedTurnsOptions {
  readonly clock: Clock;
  readonly brain: Brain;
  readonly language: () => BrainLanguage;
  readonly owner?: string;
}

export class FailedTurns {
  readonly list: { turnId: number; reason: TurnFailure }[] = [];
  readonly #options: FailedTurnsOptions;
  #inRow: TurnFailure[] = [];

  constructor(options: FailedTurnsOptions) {
    this.#options = options;
  }

  reset(): void {
    this.#inRow = [];
  }

  get isRepeated(): boolean {
    return this.#inRow.length > 1;
  }

  /** Resolves with how the call ends after this turn; null where it goes on. */
  add(turnId: number, reason: TurnFailure): Promise<EndReason> | null {
    this.list.push({ turnId, reason });
    this.#inRow.push(reason);
    return this.#inRow.length < MAX_IN_ROW ? null : this.#endReason(reason, new Set(this.#inRow));
  }

  async #endReason(last: TurnFailure, reasons: ReadonlySet<TurnFailure>): Promise<EndReason> {
    if (last === 'recognition_failed') return 'engine_failed';
    const faults = new Set([...reasons].map((reason) => FAULTS[reason]));
    if (faults.has('platform')) return 'brain_unavailable';
    return !faults.has('either') || (await this.#brainIsWell()) ? 'agent_stuck' : 'brain_unavailable';
  }

  /** Checks that the brain answers a request without any input of the client. */
  async #brainIsWell(): Promise<boolean> {
    const { brain, clock, language, owner } = this.#options;
    const aborting = new AbortController();
    const stop = clock.after(PROOF_WITHIN_MS, () => aborting.abort());
    const question = {
      language: language(),
      persona: '',
      messages: [{ role: 'user' as const, content: 'Hello.' }],
      tools: [],
      passages: [],
      ...(owner === undefined ? {} : { owner }),
    };
    try {
      for await (const event of brain.respond(question, aborting.signal)) {
        if (event.kind === 'fallback') return false;
        if (event.kind === 'text' && isSpeakable(event.text)) return true;
      }
      return false;
    } catch {
      return false;
    } finally {
      stop();
      aborting.abort();
    }
  }
}
