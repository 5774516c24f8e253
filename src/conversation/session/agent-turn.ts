import type { Clock } from '../../foundation/platform/clock.ts';
import { type Brain, BrainError, type BrainFault, type BrainRequest, type Passage } from '../brains/index.ts';
import { type CallGuard, type GuardRuling, isTransferRuling, speakGuarded } from './answer-guard.ts';
import { BrainExchange } from './brain-exchange.ts';
import type { SessionTools, ToolTable } from './tool-dispatcher.ts';
import { ToolRounds } from './tool-rounds.ts';
import { TurnWords } from './turn-words.ts';
import type { PlayedSegment, VoiceLane } from './voice-lane.ts';

const MAX_TOOL_ROUNDS = 4;

export type TurnFailure =
  | `brain_${BrainFault}`
  | 'brain_silent'
  | 'tool_rounds_exceeded'
  | 'recognition_failed';

/** The caller got something other than a complete answer of the first brain, for this reason. */
export interface TurnDegradation {
  readonly step: 'fallback' | 'tool' | 'answer' | 'caller';
  readonly reason:
    | `brain_${BrainFault}`
    | 'tool_timeout'
    | 'answer_too_long'
    | `trace_${GuardRuling['kind']}`;
  readonly rule?: string;
  readonly withheld?: string;
}

export interface AgentTurnOptions {
  readonly id: number;
  readonly speech: number;
  readonly clock: Clock;
  readonly lane: VoiceLane;
  readonly brain: Brain;
  readonly dispatcher: SessionTools;
  readonly tools?: ToolTable | undefined;
  readonly refusal?: ((name: string) => string | null) | undefined;
  readonly guard?: CallGuard | undefined;
  readonly callerText: string;
  readonly questionId: number | null;
  readonly retrieve: (signal: AbortSignal) => Promise<readonly Passage[]>;
  readonly request: Omit<BrainRequest, 'messages' | 'passages' | 'tools' | 'memory' | 'callerAudio'>;
  /** Resolves when the playout of the previous turn is known; the lane reports an interruption a moment later. */
  readonly whenPreviousPlayed: () => Promise<void>;
  readonly context: () => Pick<BrainRequest, 'messages' | 'memory' | 'callerAudio'>;
  /** A speculative turn is synthesized but not played, and calls no tool, before `accept`. */
  readonly held: boolean;
  readonly farewell: () => string | null;
  readonly thinking: () => string | null;
  /** An unrequested turn waits until the caller is silent. */
  readonly yields: boolean;
  readonly onWaiting: () => void;
  readonly onToolsRunning: () => void;
  readonly onDone: (failure: TurnFailure | null) => void;
}

export class AgentTurn {
  readonly id: number;
  readonly speech: number;
  readonly words: TurnWords;
  readonly question: { readonly turnId: number; readonly text: string } | null;
  readonly exchange: BrainExchange;
  readonly tools: ToolRounds;
  readonly degradations: TurnDegradation[] = [];
  failure: TurnFailure | null = null;
  /** A monotonic time; null for words that did not come from a brain. */
  brainAskedAt: number | null = null;
  done = false;
  readonly #options: AgentTurnOptions;
  readonly #aborting = new AbortController();
  readonly #accepted: Promise<void>;
  #accept: () => void = () => undefined;

  constructor(options: AgentTurnOptions) {
    const { id, speech, clock, lane, brain, dispatcher, guard, held, yields, request, context } = options;
    const { degradations } = this;
    const { refusal } = options;
    const aborting = this.#aborting.signal;
    // The turn keeps the tools that were set when it began; a replacement applies to the next turn.
    const tools = options.tools ?? dispatcher.tools;
    this.id = id;
    this.speech = speech;
    const { questionId, callerText } = options;
    this.question = questionId === null ? null : { turnId: questionId, text: callerText };
    this.#options = options;
    const words = new TurnWords({ speech, clock, lane, held, yields });
    this.words = words;
    this.exchange = new BrainExchange({
      clock,
      brain,
      tools,
      words,
      degradations,
      signal: aborting,
      request,
      context,
      guard,
      refusal,
    });
    const fill = (text: string) => this.filler(text);
    const { thinking } = options;
    this.tools = new ToolRounds({
      turn: id,
      clock,
      dispatcher,
      tools,
      refusal,
      thinking,
      degradations,
      signal: aborting,
      fill,
    });
    this.#accepted = new Promise((resolve) => {
      this.#accept = resolve;
    });
    if (!held) this.#accept();
  }

  start(): void {
    this.brainAskedAt = this.#options.clock.monotonic();
    void this.#run().then(
      (failure) => this.#finish(failure),
      (error: unknown) =>
        this.#finish(error instanceof BrainError ? `brain_${error.fault}` : 'brain_garbage'),
    );
  }

  accept(): void {
    if (!this.words.isHeld) return;
    this.words.release();
    this.#accept();
  }

  drop(): void {
    this.done = true;
    this.#aborting.abort();
    this.exchange.stop();
    this.#accept();
  }

  /** Asks the brain again where it has said nothing and shows no sign of work. */
  retry(): boolean {
    if (this.words.hasAnswer || this.tools.running || this.done || this.exchange.isBrainThinking)
      return false;
    this.exchange.stop();
    return true;
  }

  giveUp(failure: TurnFailure): void {
    if (this.done) return;
    this.drop();
    this.#report(failure);
  }

  isUnheard(segments: readonly PlayedSegment[]): boolean {
    const acts = this.tools.effect !== null;
    return this.brainAskedAt !== null && this.failure === null && !acts && !this.words.hasSound(segments);
  }

  concludeWith(lines: readonly string[]): void {
    this.drop();
    const { guard, request } = this.#options;
    const { words, degradations } = this;
    this.exchange.refused = speakGuarded(lines, { guard, words, degradations, language: request.language });
    if (this.exchange.refused?.kind === 'handed_over') this.exchange.action = 'hand_over';
    this.words.finish();
  }

  filler(words: string): void {
    if (!this.done && !this.words.isHeld) this.words.filler(words);
  }

  async #run(): Promise<TurnFailure | null> {
    const { signal } = this.#aborting;
    const { retrieve, whenPreviousPlayed: before } = this.#options;
    const [passages, heard] = await Promise.all([
      retrieve(signal),
      rulingOnCallerText(this.#options),
      before(),
    ]);
    if (!signal.aborted && isTransferRuling(heard, this)) {
      this.exchange.refused = heard;
      await this.#accepted;
      this.exchange.action = 'hand_over';
      return null;
    }
    for (let round = 0; round < MAX_TOOL_ROUNDS; round++) {
      if (signal.aborted) return null;
      const calls = await this.exchange.ask(passages, this.tools.list);
      if (this.exchange.refused?.kind === 'handed_over') {
        await this.#accepted;
        this.exchange.action = 'hand_over';
      }
      if (calls.length === 0) return this.words.hasAnswer ? null : 'brain_silent';
      await this.#accepted;
      if (signal.aborted) return null;
      this.#options.onToolsRunning();
      await this.tools.call(calls);
      if (signal.aborted || applyToolEffect(this, this.#options.farewell)) return null;
      this.words.beginRound();
      this.#options.onWaiting();
    }
    return 'tool_rounds_exceeded';
  }

  #finish(failure: TurnFailure | null): void {
    if (this.done) return;
    this.done = true;
    if (failure === null) this.words.finish();
    this.#report(failure);
  }

  #report(failure: TurnFailure | null): void {
    this.failure = failure;
    this.#options.onDone(failure);
  }
}

const rulingOnCallerText = ({
  guard,
  callerText: asked,
  request,
}: AgentTurnOptions): Promise<GuardRuling | null> | null =>
  asked === '' ? null : (guard?.heard?.(asked, request.language) ?? null);

/** A built-in tool's effect ends the turn, and the brain is not asked about it. */
function applyToolEffect(
  { tools, exchange: asking, words }: AgentTurn,
  farewell: () => string | null,
): boolean {
  const { effect } = tools;
  if (effect === null) return false;
  if (effect.kind !== 'interlude' && effect.kind !== 'step') asking.action = effect.kind;
  const last = effect.kind === 'end_call' && !words.hasAnswer ? farewell() : null;
  if (last !== null) words.answer(last);
  return true;
}
