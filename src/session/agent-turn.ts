import {
  type Brain,
  BrainError,
  type BrainEvent,
  type BrainFault,
  type BrainRequest,
  type BrainToolCall,
  type Passage,
} from '../brain/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ClauseCutter, isSpeakable } from './clauses.ts';
import { roundMessages, type ToolRound } from './conversation.ts';
import { SESSION_PHRASES } from './phrases.ts';
import type { ToolDesk, ToolOutcome, Tools } from './tool-desk.ts';
import type { PlayedSegment, VoiceLane } from './voice-lane.ts';

const MAX_TOOL_ROUNDS = 4;
/** Four minutes of speech: whoever says more is not on the phone. */
const MAX_ANSWER_CHARACTERS = 4_000;
/** While a tool runs, counted from its start: its own words once it takes noticeable time, else the session's; and the session's
 * again after each of the agent's. */
const TOOL_FILLER_MS = { own: 300, first: 1_200, again: 4_000 };

/** A brain that gave none for so long is taken for stuck. */
const SIGN_OF_LIFE_MS = 1_500;

export type TurnFailure =
  | `brain_${BrainFault}`
  | 'brain_silent'
  | 'tool_rounds_exceeded'
  | 'recognition_failed';

/** What the caller got instead of a whole answer of the brain that was asked first. */
export interface Trouble {
  readonly step: 'fallback' | 'tool' | 'answer';
  readonly reason: `brain_${BrainFault}` | 'tool_timeout' | 'answer_too_long';
}

export interface AgentTurnOptions {
  readonly id: number;
  /** The lane's number for what this turn says. */
  readonly speech: number;
  readonly clock: Clock;
  readonly lane: VoiceLane;
  readonly brain: Brain;
  readonly desk: ToolDesk;
  readonly retrieve: (signal: AbortSignal) => Promise<readonly Passage[]>;
  readonly request: Omit<BrainRequest, 'messages' | 'passages' | 'tools' | 'memory'>;
  /** Resolves when it is known what was heard of the turn before: an interrupted one is told of a moment later. */
  readonly before: () => Promise<void>;
  /** The call until now, as of when the brain is asked. */
  readonly context: () => Pick<BrainRequest, 'messages' | 'memory'>;
  /** Speculative: synthesized but not played, and no tool is called, before `accept`. */
  readonly held: boolean;
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
  failure: TurnFailure | null = null;
  /** The text of each segment, by number; fillers among them. */
  readonly texts = new Map<number, string>();
  readonly rounds: ToolRound[] = [];
  readonly fillers = new Set<number>();
  readonly troubles: Trouble[] = [];
  memory: { value: unknown } | null = null;
  action: 'end_call' | 'hand_over' | null = null;
  /** Monotonic times of the clock. */
  askedAt = 0;
  firstWordAt: number | null = null;
  /** When the first piece of the answer itself, no filler, was there to be spoken. */
  firstSegmentAt: number | null = null;

  readonly #options: AgentTurnOptions;
  readonly #life = new AbortController();
  #attempt = new AbortController();
  #accept: () => void = () => undefined;
  readonly #accepted: Promise<void>;
  #held: boolean;
  #done = false;
  #asked = false;
  #toolsRunning = false;
  /** Said once: in the next round the caller knows that something is being looked up. */
  #ownFillerSaid = false;
  /** When the brain, as it was last asked, last gave a sign of life. */
  #aliveAt = Number.NEGATIVE_INFINITY;
  /** The first segment after the brain was last asked. */
  #roundFrom = 0;
  #preface: number | null = null;
  /** Those of the session when the turn began: what replaces them is for the next. */
  readonly #tools: Tools;

  constructor(options: AgentTurnOptions) {
    this.id = options.id;
    this.speech = options.speech;
    this.#options = options;
    this.#held = options.held;
    this.#tools = options.desk.tools;
    this.#accepted = new Promise((resolve) => {
      this.#accept = resolve;
    });
    if (!options.held) this.#accept();
  }

  /** Since the brain was last asked: words before a tool call are no answer to what the tool said. */
  get answered(): boolean {
    return [...this.texts.keys()].some((segment) => this.answers(segment));
  }

  answers(segment: number): boolean {
    return segment >= this.#roundFrom && !this.fillers.has(segment);
  }

  /** It does not begin while the caller speaks. */
  get yields(): boolean {
    return this.#options.yields;
  }

  get done(): boolean {
    return this.#done;
  }

  get toolsRunning(): boolean {
    return this.#toolsRunning;
  }

  start(): void {
    this.#asked = true;
    this.askedAt = this.#options.clock.monotonic();
    void this.#run().then(
      (failure) => this.#finish(failure),
      (error: unknown) =>
        this.#finish(error instanceof BrainError ? `brain_${error.fault}` : 'brain_garbage'),
    );
  }

  /** The speculation was right: play, and let tools run. */
  accept(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#options.lane.release(this.speech);
    this.#accept();
  }

  /** Nothing more of this turn: the brain's work stops, its tools' answers are dropped. */
  drop(): void {
    this.#done = true;
    this.#life.abort();
    this.#attempt.abort();
    this.#accept();
  }

  /** Asks the brain once more when it has said nothing so far, and is not seen to think: asked anew, it would begin anew. */
  retry(): boolean {
    const alive = this.#options.clock.monotonic() - this.#aliveAt <= SIGN_OF_LIFE_MS;
    if (this.answered || this.#toolsRunning || this.#done || alive) return false;
    this.#attempt.abort();
    return true;
  }

  /** The brain had its time: what it still says is not wanted any more. */
  giveUp(failure: TurnFailure): void {
    if (this.#done) return;
    this.drop();
    this.#report(failure);
  }

  /** Words before the answer, which are none. */
  preface(line: string): void {
    this.#preface = this.#speak(line);
    this.fillers.add(this.#preface);
  }

  prefaceWasHeard(segments: readonly PlayedSegment[]): boolean {
    const heard = segments.find(({ segment }) => segment === this.#preface);
    return heard?.complete === true && heard.playedMs >= heard.totalMs;
  }

  /** The brain answered, and none of it could be spoken. */
  unheard(segments: readonly PlayedSegment[]): boolean {
    const spoken = segments.filter(({ segment, totalMs }) => this.answers(segment) && totalMs > 0);
    return this.#asked && this.failure === null && spoken.length === 0;
  }

  /** Ends the turn with words that are not the brain's. */
  conclude(lines: readonly string[]): void {
    this.drop();
    for (const line of lines) this.#speak(line);
    this.#options.lane.finish(this.speech);
  }

  filler(words: string): void {
    if (!this.#done && !this.#held) this.fillers.add(this.#speak(words));
  }

  async #run(): Promise<TurnFailure | null> {
    const [passages] = await Promise.all([this.#options.retrieve(this.#life.signal), this.#options.before()]);
    for (let round = 0; round < MAX_TOOL_ROUNDS; round++) {
      if (this.#life.signal.aborted) return null;
      const calls = await this.#ask(passages);
      if (calls.length === 0) return this.answered ? null : 'brain_silent';
      await this.#accepted;
      if (this.#life.signal.aborted) return null;
      this.rounds.push(await this.#callTools(calls));
    }
    return 'tool_rounds_exceeded';
  }

  /** One answer of the brain, asked again when `retry` says so. */
  async #ask(passages: readonly Passage[]): Promise<BrainToolCall[]> {
    for (;;) {
      this.#attempt = new AbortController();
      this.#aliveAt = Number.NEGATIVE_INFINITY;
      const calls = await this.#listen(passages, this.#attempt.signal);
      if (!this.#attempt.signal.aborted || this.#life.signal.aborted) return calls;
    }
  }

  async #listen(passages: readonly Passage[], signal: AbortSignal): Promise<BrainToolCall[]> {
    const { brain, context, request } = this.#options;
    const { messages, memory } = context();
    const cutter = new ClauseCutter();
    const calls: BrainToolCall[] = [];
    let characters = 0;
    const tools = [...this.#tools.values()].map(({ tool: { name, description, parameters } }) => ({
      name,
      description,
      parameters,
    }));
    const asked = {
      ...request,
      memory,
      messages: [...messages, ...this.rounds.flatMap(roundMessages)],
      passages,
      tools,
    };
    for await (const event of brain.respond(asked, signal)) {
      if (signal.aborted) return [];
      this.#take(event, cutter, calls);
      if (event.kind === 'text') characters += event.text.length;
      if (characters > MAX_ANSWER_CHARACTERS) {
        this.troubles.push({ step: 'answer', reason: 'answer_too_long' });
        break;
      }
    }
    if (!signal.aborted) for (const piece of cutter.end()) this.#answer(piece);
    return calls;
  }

  #take(event: BrainEvent, cutter: ClauseCutter, calls: BrainToolCall[]): void {
    if (event.kind === 'fallback') {
      this.troubles.push({ step: 'fallback', reason: `brain_${event.fault}` });
      return;
    }
    this.#aliveAt = this.#options.clock.monotonic();
    if (event.kind === 'thinking') return;
    this.firstWordAt ??= this.#options.clock.monotonic();
    switch (event.kind) {
      case 'text':
        for (const piece of cutter.add(event.text)) this.#answer(piece);
        return;
      case 'tool_call':
        calls.push(event.call);
        return;
      case 'memory':
        this.memory = { value: event.memory };
        return;
      case 'action':
        this.action = event.action;
    }
  }

  async #callTools(calls: readonly BrainToolCall[]): Promise<ToolRound> {
    this.#toolsRunning = true;
    this.#options.onToolsRunning();
    const waiting: BrainToolCall[] = [];
    const stopFillers = this.#fillWhileToolsRun(waiting);
    const outcomes = await Promise.all(
      calls.map((call) =>
        this.#options.desk.call(this.id, call.name, call.arguments, {
          wanted: () => !this.#life.signal.aborted,
          tools: this.#tools,
          onWaiting: () => waiting.push(call),
        }),
      ),
    );
    stopFillers();
    this.#toolsRunning = false;
    this.#roundFrom = this.texts.size;
    for (const outcome of outcomes) {
      if (outcome.kind === 'error' && outcome.reason === 'timeout')
        this.troubles.push({ step: 'tool', reason: 'tool_timeout' });
    }
    if (!this.#life.signal.aborted) this.#options.onWaiting();
    const results = calls.map((call, index) => ({
      callId: call.id,
      name: call.name,
      content: (outcomes[index] as ToolOutcome).content,
    }));
    return { calls, results };
  }

  /** The line is not silent while a tool takes its time. `waiting`: the calls that somebody runs, no refused ones. */
  #fillWhileToolsRun(waiting: readonly BrainToolCall[]): () => void {
    const { clock, request } = this.#options;
    let stop = (): void => undefined;
    const say = (words: string): void => {
      this.filler(words);
      later(TOOL_FILLER_MS.again, saySessions);
    };
    const later = (ms: number, task: () => void): void => {
      stop = clock.after(ms, task);
    };
    const saySessions = (): void => say(SESSION_PHRASES[request.language].filler);
    const sayOwn = (): void => {
      const own = waiting.map(({ name }) => this.#tools.get(name)?.tool.filler).find((words) => words);
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

  #answer(text: string): void {
    if (!isSpeakable(text)) return;
    this.firstSegmentAt ??= this.#options.clock.monotonic();
    this.#speak(text);
  }

  #speak(text: string): number {
    const segment = this.texts.size;
    this.texts.set(segment, text);
    this.#options.lane.speak(this.speech, segment, text, { held: this.#held, yields: this.#options.yields });
    return segment;
  }

  #finish(failure: TurnFailure | null): void {
    if (this.#done) return;
    this.#done = true;
    if (failure === null) this.#options.lane.finish(this.speech);
    this.#report(failure);
  }

  #report(failure: TurnFailure | null): void {
    this.failure = failure;
    this.#options.onDone(failure);
  }
}
