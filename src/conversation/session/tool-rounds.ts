import type { Clock } from '../../foundation/platform/clock.ts';
import type { BrainToolCall } from '../brains/index.ts';
import type { TurnDegradation } from './agent-turn.ts';
import type { ToolRound } from './conversation-history.ts';
import type { ToolEffect, ToolOutcome } from './tool-contract.ts';
import type { SessionTools, ToolTable } from './tool-dispatcher.ts';

/**
 * Delays in milliseconds since the tool started: the tool's own filler comes first, otherwise the session's; the
 * session's repeats after each filler.
 */
const TOOL_FILLER_MS = { own: 300, first: 1_200, again: 4_000 };

export interface ToolRoundsOptions {
  readonly turn: number;
  readonly clock: Clock;
  readonly dispatcher: SessionTools;
  readonly tools: ToolTable;
  readonly refusal?: ((name: string) => string | null) | undefined;
  readonly thinking: () => string | null;
  readonly degradations: TurnDegradation[];
  readonly signal: AbortSignal;
  readonly fill: (words: string) => void;
}

export class ToolRounds {
  readonly list: ToolRound[] = [];
  /** A built-in tool's effect on the call applies once the turn is spoken. */
  effect: ToolEffect | null = null;
  readonly #options: ToolRoundsOptions;
  #running = false;
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
