import type { Clock } from '../../foundation/platform/clock.ts';
import type { Brain, BrainEvent, BrainRequest, BrainToolCall, Passage } from '../brains/index.ts';
import type { AgentTurnOptions, TurnDegradation } from './agent-turn.ts';
import { AnswerGuard, type GuardRuling } from './answer-guard.ts';
import { ClauseSplitter } from './clause-splitter.ts';
import type { TurnTokenUsage } from './contract.ts';
import { roundMessages, type ToolRound } from './conversation-history.ts';
import type { ToolTable } from './tool-dispatcher.ts';
import type { TurnWords } from './turn-words.ts';

/** The limit is about four minutes of speech, longer than any useful answer on a phone. */
const MAX_ANSWER_CHARACTERS = 4_000;
const STALLED_BRAIN_MS = 1_500;

export interface BrainExchangeOptions
  extends Pick<AgentTurnOptions, 'request' | 'context' | 'guard' | 'refusal'> {
  readonly clock: Clock;
  readonly brain: Brain;
  readonly tools: ToolTable;
  readonly words: TurnWords;
  readonly degradations: TurnDegradation[];
  readonly signal: AbortSignal;
}

interface AnswerSinks {
  readonly cutter: ClauseSplitter;
  readonly guarding: AnswerGuard;
  readonly calls: BrainToolCall[];
}

export class BrainExchange {
  memory: { value: unknown } | null = null;
  action: 'end_call' | 'hand_over' | null = null;
  /** The usage covers all requests of the turn; null where no endpoint reported it. */
  cost: TurnTokenUsage | null = null;
  refused: GuardRuling | null = null;
  readonly #options: BrainExchangeOptions;
  #attempt = new AbortController();
  #aliveAt = Number.NEGATIVE_INFINITY;

  constructor(options: BrainExchangeOptions) {
    this.#options = options;
  }

  /** A brain that is still at work is not asked again, because it would start over. */
  get isBrainThinking(): boolean {
    return this.#options.clock.monotonic() - this.#aliveAt <= STALLED_BRAIN_MS;
  }

  stop(): void {
    this.#attempt.abort();
  }

  async ask(passages: readonly Passage[], rounds: readonly ToolRound[]): Promise<BrainToolCall[]> {
    for (;;) {
      this.#attempt = new AbortController();
      this.#aliveAt = Number.NEGATIVE_INFINITY;
      const { signal } = this.#attempt;
      const calls = await this.#listen(this.#question(passages, rounds), signal);
      if (!signal.aborted || this.#options.signal.aborted) return calls;
    }
  }

  #question(passages: readonly Passage[], rounds: readonly ToolRound[]): BrainRequest {
    const { context, request } = this.#options;
    const { messages, ...own } = context();
    const tools = [...this.#options.tools.values()].map(({ tool: { name, description, parameters } }) => ({
      name,
      description,
      parameters,
    }));
    return { ...request, ...own, messages: [...messages, ...rounds.flatMap(roundMessages)], passages, tools };
  }

  async #listen(question: BrainRequest, signal: AbortSignal): Promise<BrainToolCall[]> {
    const { brain, words, degradations, guard, request } = this.#options;
    const guarding = new AnswerGuard({
      guard,
      words,
      degradations,
      language: request.language,
      signal,
    });
    const cutter = new ClauseSplitter();
    const calls: BrainToolCall[] = [];
    let characters = 0;
    for await (const event of brain.respond(question, signal)) {
      if (signal.aborted) return [];
      await this.#take(event, { cutter, guarding, calls });
      if (guarding.refused !== null) break;
      if (event.kind === 'text') characters += event.text.length;
      if (characters > MAX_ANSWER_CHARACTERS) {
        degradations.push({ step: 'answer', reason: 'answer_too_long' });
        break;
      }
    }
    if (!signal.aborted) for (const piece of cutter.end()) await guarding.answer(piece);
    this.refused = guarding.refused;
    return guarding.refused === null ? calls : [];
  }

  async #take(event: BrainEvent, { cutter, guarding, calls }: AnswerSinks): Promise<void> {
    const { clock, degradations } = this.#options;
    if (event.kind === 'fallback') {
      degradations.push({ step: 'fallback', reason: `brain_${event.fault}` });
      cutter.dropLast(event.dropped ?? 0);
      guarding.voice = null;
      return;
    }
    this.#aliveAt = clock.monotonic();
    switch (event.kind) {
      case 'text':
        for (const piece of cutter.add(event.text)) await guarding.answer(piece);
        return;
      case 'voice':
        guarding.voice = event.voice;
        return;
      case 'sound':
        for (const piece of cutter.sentence()) await guarding.answer(piece);
        return;
      case 'tool_call':
        calls.push(event.call);
        return;
      case 'memory':
        this.memory = { value: event.memory };
        return;
      case 'usage':
        this.cost = {
          promptTokens: (this.cost?.promptTokens ?? 0) + event.promptTokens,
          cachedTokens: (this.cost?.cachedTokens ?? 0) + event.cachedTokens,
          completionTokens: (this.cost?.completionTokens ?? 0) + event.completionTokens,
        };
        return;
      case 'action':
        if (this.#mayDo(event.action)) this.action = event.action;
    }
  }

  /** The terms of a turn hold for what a brain does by itself as well as for its tool calls. */
  #mayDo(action: NonNullable<BrainExchange['action']>): boolean {
    const { tools, refusal } = this.#options;
    const tool = action === 'hand_over' ? 'transfer' : 'end_call';
    if (refusal === undefined || tools.has(tool)) return true;
    refusal(tool);
    return false;
  }
}
