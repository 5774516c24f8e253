import type { Clock } from '../../foundation/platform/clock.ts';
import { type Brain, BrainError, type BrainFault, type BrainRequest, type Passage } from '../brains/index.ts';
import { type CallGuard, type GuardRuling, isTransferRuling, speakGuarded } from './answer-guard.ts';
import { BrainExchange } from './brain-exchange.ts';
import type { ToolDispatcher, ToolTable } from './tool-dispatcher.ts';
import { ToolRounds } from './tool-rounds.ts';
import { TurnWords } from './turn-words.ts';
import type { PlayedSegment, VoiceLane } from './voice-lane.ts';

const MAX_TOOL_ROUNDS = 4;

export type TurnFailure =
  | `brain_${BrainFault}`
  | 'brain_silent'
  | 'tool_rounds_exceeded'
  | 'recognition_failed';

/** The caller got this instead of a complete answer of the first brain. */
export interface TurnDegradation {
  readonly step: 'fallback' | 'tool' | 'answer' | 'caller';
  readonly reason:
    | `brain_${BrainFault}`
    | 'tool_timeout'
    | 'answer_too_long'
    | `trace_${GuardRuling['kind']}`;
  /** The rule of Trace that the answer or the caller's words broke. */
  readonly rule?: string;
  /** The words that were held back for it. */
  readonly withheld?: string;
}

export interface AgentTurnOptions {
  readonly id: number;
  /** The lane's number for what this turn says. */
  readonly speech: number;
  readonly clock: Clock;
  readonly lane: VoiceLane;
  readonly brain: Brain;
  readonly dispatcher: ToolDispatcher;
  /** The session's tools apply where it is absent. */
  readonly tools?: ToolTable | undefined;
  /** Why a tool that is not among them may not be called now. */
  readonly refusal?: ((name: string) => string | null) | undefined;
  /** Without a guard, answers are not checked. */
  readonly guard?: CallGuard | undefined;
  /** The caller's words; an empty text is not answered. */
  readonly callerText: string;
  /** The number of the turn that it answers; null where nobody has asked. */
  readonly questionId: number | null;
  readonly retrieve: (signal: AbortSignal) => Promise<readonly Passage[]>;
  readonly request: Omit<BrainRequest, 'messages' | 'passages' | 'tools' | 'memory'>;
  /** Resolves when it is known what was heard of the turn before: an interrupted one is told of a moment later. */
  readonly whenPreviousPlayed: () => Promise<void>;
  /** The call until now, as of when the brain is asked. */
  readonly context: () => Pick<BrainRequest, 'messages' | 'memory'>;
  /** Speculative: synthesized but not played, and no tool is called, before `accept`. */
  readonly held: boolean;
  /** Said before a call ends of which nothing else was said; null: silence. */
  readonly farewell: () => string | null;
  /** Bridges the time while a tool runs; null: silence. */
  readonly thinking: () => string | null;
  /** Nobody has asked for these words: they wait until the caller is silent. */
  readonly yields: boolean;
  /** The brain is being waited for again: a tool has answered. */
  readonly onWaiting: () => void;
  readonly onToolsRunning: () => void;
  /** The brain has said all it will; what it said may still be playing. */
  readonly onDone: (failure: TurnFailure | null) => void;
}

/** One answer of the agent: asks the brain, speaks as it streams, calls tools, and can be dropped at any moment. */
export class AgentTurn {
  readonly id: number;
  readonly speech: number;
  readonly words: TurnWords;
  /** The question that it answers; null where nobody has asked. */
  readonly question: { readonly turnId: number; readonly text: string } | null;
  readonly exchange: BrainExchange;
  readonly tools: ToolRounds;
  readonly degradations: TurnDegradation[] = [];
  failure: TurnFailure | null = null;
  /** Monotonic; null for words that nobody's brain was asked for. */
  brainAskedAt: number | null = null;
  done = false;
  readonly #options: AgentTurnOptions;
  readonly #aborting = new AbortController();
  readonly #accepted: Promise<void>;
  #accept: () => void = () => undefined;

  constructor(options: AgentTurnOptions) {
    const { id, speech, clock, lane, brain, dispatcher, guard, held, yields, request, context } = options;
    const { degradations } = this;
    const aborting = this.#aborting.signal;
    // Those of the session when the turn began: what replaces them is for the next.
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
    });
    const fill = (text: string) => this.filler(text);
    const { thinking, refusal } = options;
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

  /** The speculation was right: play, and let tools run. */
  accept(): void {
    if (!this.words.isHeld) return;
    this.words.release();
    this.#accept();
  }

  /** Nothing more of this turn: the brain's work stops, its tools' answers are dropped. */
  drop(): void {
    this.done = true;
    this.#aborting.abort();
    this.exchange.stop();
    this.#accept();
  }

  /** Asks the brain once more when it has said nothing so far, and is not seen to think. */
  retry(): boolean {
    if (this.words.hasAnswer || this.tools.running || this.done || this.exchange.isBrainThinking)
      return false;
    this.exchange.stop();
    return true;
  }

  /** The brain had its time: what it still says is not wanted any more. */
  giveUp(failure: TurnFailure): void {
    if (this.done) return;
    this.drop();
    this.#report(failure);
  }

  /** The brain answered, and none of it could be spoken. */
  isUnheard(segments: readonly PlayedSegment[]): boolean {
    const acts = this.tools.effect !== null;
    return this.brainAskedAt !== null && this.failure === null && !acts && !this.words.hasSound(segments);
  }

  /** Ends the turn with words that are not the brain's. */
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
      if (applyToolEffect(this, this.#options.farewell)) return null;
      this.words.beginRound();
      if (!signal.aborted) this.#options.onWaiting();
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

/** Returns the ruling on the caller's words. */
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
