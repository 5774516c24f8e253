import type { Clock } from '../../foundation/platform/clock.ts';
import type { BrainToolCall } from '../brains/index.ts';
import type { TurnDegradation } from './agent-turn.ts';
import type { ToolRound } from './conversation-history.ts';
import type { ToolEffect, ToolOutcome } from './tool-contract.ts';
import type { ToolDispatcher, ToolTable } from './tool-dispatcher.ts';

/** While a tool runs, counted from its start: its own words once it takes noticeable time, else the session's; and the session's
 * again after each of the agent's. */
const TOOL_FILLER_MS = { own: 300, first: 1_200, again: 4_000 };

export interface ToolRoundsOptions {
  readonly turn: number;
  readonly clock: Clock;
  readonly dispatcher: ToolDispatcher;
  readonly tools: ToolTable;
  readonly refusal?: ((name: string) => string | null) | undefined;
  /** The session's own words while a tool runs; null: silence. */
  readonly thinking: () => string | null;
  readonly degradations: TurnDegradation[];
  readonly signal: AbortSignal;
  /** Words that bridge the time. */
  readonly fill: (words: string) => void;
}

/** The tools that a turn calls, a round after each answer of the brain that calls some. */
export class ToolRounds {
  readonly list: ToolRound[] = [];
  /** A built-in tool's effect on the call applies once the turn is spoken. */
  effect: ToolEffect | null = null;
  readonly #options: ToolRoundsOptions;
  #running = false;
  /** Said once: in the next round the caller knows that something is being looked up. */
  #ownFillerSaid = false;

  constructor(options: ToolRoundsOptions) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#running;
  }

  async call(calls: readonly BrainToolCall[]): Promise<void> {
    const { turn, dispatcher, tools, signal, degradations, refusal } = this.#options;
    this.#running = true;
    const waiting: BrainToolCall[] = [];
    const stopFillers = this.#fillWhileRunning(waiting);
    const outcomes = await Promise.all(
      calls.map((call) =>
        dispatcher.call(turn, call.name, call.arguments, {
          isStillWanted: () => !signal.aborted,
          signal,
          tools,
          refusal,
          onWaiting: () => waiting.push(call),
        }),
      ),
    );
    stopFillers();
    this.#running = false;
    for (const outcome of outcomes) {
      if (outcome.kind === 'effect') this.effect ??= outcome.effect;
      if (outcome.kind === 'error' && outcome.reason === 'timeout')
        degradations.push({ step: 'tool', reason: 'tool_timeout' });
    }
    const results = calls.map((call, index) => ({
      callId: call.id,
      name: call.name,
      content: (outcomes[index] as ToolOutcome).content,
    }));
    this.list.push({ calls, results });
  }

  /** The line is not silent while a tool takes its time. `waiting`: the calls that somebody runs, no refused ones. */
  #fillWhileRunning(waiting: readonly BrainToolCall[]): () => void {
    const { clock, thinking, tools, fill } = this.#options;
    let stop = (): void => undefined;
    const say = (words: string): void => {
      fill(words);
      later(TOOL_FILLER_MS.again, saySessions);
    };
    const later = (ms: number, task: () => void): void => {
      stop = clock.after(ms, task);
    };
    const saySessions = (): void => {
      const words = thinking();
      if (words !== null) say(words);
    };
    const sayOwn = (): void => {
      const own = waiting.map(({ name }) => tools.get(name)?.tool.filler).find((words) => words);
      if (!own || this.#ownFillerSaid) {
        later(TOOL_FILLER_MS.first - TOOL_FILLER_MS.own, saySessions);
        return;
      }
      this.#ownFillerSaid = true;
      say(own);
    };
    later(TOOL_FILLER_MS.own, sayOwn);
    return () => stop();
  }
}
