import type { Brain, BrainEvent, BrainRequest, Passage } from '../../../src/conversation/brains/index.ts';
import type { InputRecorder } from '../../../src/conversation/replay/index.ts';
import type { SessionOptions } from '../../../src/conversation/session/contract.ts';
import type { ExpectedAnswer } from '../../../src/conversation/session/index.ts';
import { Session } from '../../../src/conversation/session/session.ts';
import type { ToolInvocation } from '../../../src/conversation/session/tool-contract.ts';
import { ToolDispatcher } from '../../../src/conversation/session/tool-dispatcher.ts';
import type {
  CallerUtterance,
  LaneEvent,
  PlayedSegment,
  SpeakOptions,
  VoiceLane,
} from '../../../src/conversation/session/voice-lane.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

interface Speech {
  segments: Map<number, string>;
  held: boolean;
  yields: boolean;
  finished: boolean;
  discarded: boolean;
}

const MS_PER_CHARACTER = 50;

export class StageLane implements VoiceLane {
  readonly speeches = new Map<number, Speech>();
  readonly log: string[] = [];
  playing: { speech: number; playedMs: number } | null = null;
  closed = false;
  emit: (event: LaneEvent) => void = () => undefined;

  push(): boolean {
    return true;
  }

  speak(speech: number, segment: number, text: string, options: SpeakOptions): void {
    const entry = this.#speech(speech);
    entry.segments.set(segment, text);
    entry.held ||= options.held;
    entry.yields ||= options.yields;
  }

  finish(speech: number): void {
    this.#speech(speech).finished = true;
  }

  release(speech: number): void {
    this.#speech(speech).held = false;
  }

  discard(speech: number): void {
    this.#speech(speech).discarded = true;
    this.log.push(`discard ${speech}`);
  }

  /** Answers in the same call when something plays; a real lane answers with its next drain. */
  stopPlayback(): void {
    this.stop('command');
  }

  setVoice(): void {
    this.log.push('voice');
  }

  setLanguage(): void {
    this.log.push('language');
  }

  setExpectedAnswer(answer: ExpectedAnswer | null): void {
    this.log.push(`expects ${answer?.before ?? answer?.vocabulary?.join(' ') ?? null}`);
  }

  close(): void {
    this.closed = true;
  }

  get audible(): { speech: number; text: string }[] {
    return [...this.speeches]
      .filter(([, { held, discarded }]) => !held && !discarded)
      .map(([speech, { segments }]) => ({ speech, text: [...segments.values()].join(' ') }));
  }

  begin(speech: number, atMs = 0): void {
    this.playing = { speech, playedMs: 0 };
    this.emit({ kind: 'playing', speech, segment: 0, atMs });
  }

  playOut(speech: number): void {
    if (this.playing?.speech !== speech) this.begin(speech);
    this.playing = null;
    this.emit({ kind: 'speech_played', speech, segments: this.#played(speech, Number.POSITIVE_INFINITY) });
  }

  bargeIn(playedMs: number): void {
    if (this.playing !== null) this.playing.playedMs = playedMs;
    this.stop('barge_in');
  }

  stop(reason: 'barge_in' | 'command'): void {
    const playing = this.playing;
    if (playing === null) return;
    this.playing = null;
    const segments = this.#played(playing.speech, playing.playedMs);
    this.emit({
      kind: 'speech_interrupted',
      speech: playing.speech,
      reason,
      playedMs: playing.playedMs,
      segments,
    });
  }

  #played(speech: number, playedMs: number): PlayedSegment[] {
    let left = playedMs;
    return [...this.#speech(speech).segments].map(([segment, text]) => {
      const totalMs = text.length * MS_PER_CHARACTER;
      const played = Math.min(left, totalMs);
      left -= played;
      return { segment, playedMs: played, totalMs, complete: true };
    });
  }

  #speech(speech: number): Speech {
    const entry = this.speeches.get(speech) ?? {
      segments: new Map(),
      held: false,
      yields: false,
      finished: false,
      discarded: false,
    };
    this.speeches.set(speech, entry);
    return entry;
  }
}

export class ManualBrain implements Brain {
  readonly name = 'manual';
  readonly requests: { request: BrainRequest; signal: AbortSignal }[] = [];
  #answers: ((request: BrainRequest, signal: AbortSignal) => AsyncIterable<BrainEvent>)[] = [];

  next(answer: (request: BrainRequest, signal: AbortSignal) => AsyncIterable<BrainEvent>): this {
    this.#answers.push(answer);
    return this;
  }

  says(...texts: string[]): this {
    return this.next(async function* () {
      for (const text of texts) yield { kind: 'text', text };
    });
  }

  hangs(): this {
    return this.next(async function* (_request, signal) {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      yield* [];
    });
  }

  respond(request: BrainRequest, signal: AbortSignal): AsyncIterable<BrainEvent> {
    this.requests.push({ request, signal });
    const answer = this.#answers.shift();
    if (answer === undefined) throw new Error('the brain was asked more often than the test expects');
    return answer(request, signal);
  }
}

export function stage(
  overrides: Partial<SessionOptions['settings']> = {},
  passages: Passage[] = [],
  options: Partial<SessionOptions> = {},
) {
  return stageOf({ lane: new StageLane(), brain: new ManualBrain() }, overrides, passages, options);
}

export interface StageParts<L, B> {
  readonly lane: L;
  readonly brain: B;
  readonly clock?: ManualClock;
  readonly recorder?: InputRecorder | undefined;
}

export function stageOf<L extends VoiceLane & { emit: (event: LaneEvent) => void }, B extends Brain>(
  { lane, brain, clock = new ManualClock(), recorder }: StageParts<L, B>,
  overrides: Partial<SessionOptions['settings']> = {},
  passages: Passage[] = [],
  options: Partial<SessionOptions> = {},
) {
  const sent: unknown[] = [];
  const guesses: string[] = [];
  const invocations: ToolInvocation[] = [];
  let calls = 0;
  const dispatcher = new ToolDispatcher({
    clock,
    newCallId: () => `tc_${++calls}`,
    send: (invocation) => invocations.push(invocation),
  });
  const whole: SessionOptions = {
    ...options,
    clock,
    lane,
    brain,
    toolDispatcher: dispatcher,
    retrieve: async () => passages,
    settings: { language: 'en', persona: 'p', greeting: '', consentLine: '', ...overrides },
    output: {
      audio: () => undefined,
      transcript: (message) => sent.push({ transcript: message }),
      bargeIn: (turnId, playedMs) => sent.push({ bargeIn: { turnId, playedMs } }),
      turn: (turnId, latency) => sent.push({ turn: turnId, latency }),
      degraded: (turnId, rung, reason) => sent.push({ degraded: { turnId, rung, reason } }),
      speech: (kind, atMs) => sent.push({ speech: kind, atMs }),
      speculationResolved: (outcome) => guesses.push(outcome),
      tokensUsed: (turnId, cost) => sent.push({ spent: turnId, ...cost }),
      ended: (reason) => sent.push({ ended: reason }),
    },
  };
  const session = new Session(recorder?.optionsOf(whole) ?? whole);
  recorder?.attach(session);
  lane.emit = (event) => session.take(event);
  return { clock, lane, brain, dispatcher, session, sent, guesses, invocations };
}

export const utterance = (text: string, extra: Partial<CallerUtterance> = {}): CallerUtterance => ({
  utterance: 1,
  text,
  startMs: 1_000,
  endMs: 2_000,
  atMs: 2_300,
  asrMs: 0,
  ...extra,
});

/** Runs everything that is ready; nothing here waits for time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

export const BOOKING_TOOL = {
  name: 'book',
  description: 'Books a table',
  parameters: { type: 'object', required: ['day'], properties: { day: { type: 'string' } } },
  timeoutMs: 5_000,
  filler: 'Let me look.',
};
