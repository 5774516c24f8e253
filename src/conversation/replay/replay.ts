import type { Clock } from '../../foundation/platform/clock.ts';
import type { EngineVoice } from '../../media/engine/index.ts';
import { type Brain, BrainError, type BrainEvent, type BrainFault } from '../brains/index.ts';
import {
  type AnswerTerms,
  type CallGuard,
  type GuardRuling,
  type Interlude,
  type InterludeStep,
  Session,
  type SessionTool,
  type SessionTools,
  type ToolOutcome,
  type ToolTable,
  type TranscriptEntry,
  type VoiceLane,
} from '../session/index.ts';
import { Arrivals } from './arrivals.ts';
import { ReplayClock } from './replay-clock.ts';
import {
  type Answer,
  type Deed,
  type GuardShape,
  type Input,
  isAnswer,
  isInput,
  type SessionTrace,
  type StoredStep,
} from './trace.ts';

export interface ReplayedSession {
  readonly deeds: readonly (readonly [atMs: number, deed: Deed])[];
  readonly transcript: readonly TranscriptEntry[];
}

/** A session may still wait for something that only the replay lacks. */
const AFTER_THE_END_MS = 60_000;

/** Runs the inputs of a trace through the session's own code, in virtual time. */
export async function replaySession(trace: SessionTrace): Promise<ReplayedSession> {
  return await new Replay(trace).run();
}

class Replay {
  readonly #trace: SessionTrace;
  readonly #clock: ReplayClock;
  readonly #deeds: [number, Deed][] = [];
  readonly #arrivals = new Arrivals();
  readonly #steps = new Map<string, unknown[]>();
  readonly #methods = new Map<number, readonly string[]>();
  readonly #interludes = new Map<number, Interlude>();
  readonly #rulings = new Map<number, GuardRuling>();
  readonly #waits = new Set<number>();
  readonly #counts = new Map<string, number>();
  #tools: ToolTable = new Map();
  readonly #session: Session;

  constructor(trace: SessionTrace) {
    this.#trace = trace;
    const timers = trace.events.flatMap(([, entry]) => (entry.kind === 'timer' ? [entry.of] : []));
    this.#clock = new ReplayClock(new Set(timers));
    for (const [, entry] of trace.events) if (isAnswer(entry)) this.#know(entry);
    const { settings, speculates, idle, host, guard, comparesTopics } = trace;
    this.#session = new Session({
      clock: this.#clock satisfies Clock,
      lane: this.#lane(),
      brain: this.#brain(),
      toolDispatcher: this.#dispatcher(),
      output: {
        audio: () => undefined,
        transcript: () => undefined,
        turn: () => undefined,
        degraded: () => undefined,
        speech: () => undefined,
        tokensUsed: () => undefined,
        speculationResolved: () => undefined,
        bargeIn: (turn, playedMs) => this.#did({ kind: 'barge_in', turn, playedMs }),
        ended: (reason) => this.#did({ kind: 'ends', reason }),
      },
      retrieve: async () => {
        const isFound = await this.#arrivals.next('passages', this.#next('passages'));
        if (isFound === false) throw new Error('the knowledge search failed');
        return [];
      },
      settings,
      guard: this.#guard(guard),
      speculates,
      ...(comparesTopics ? { similarity: () => this.#similarity() } : {}),
      ...(idle === null ? {} : { idle }),
      ...(host === null ? {} : { host: this.#interlude(host) }),
    });
  }

  async run(): Promise<ReplayedSession> {
    const { events } = this.#trace;
    let isSame = true;
    for (const [at, [atMs, entry, isSameTask]] of events.entries()) {
      isSame &&= isSameTask === 1;
      if (!isInput(entry)) continue;
      if (!isSame) {
        await settled();
        await this.#clock.passTo(atMs, settled);
      }
      this.#clock.stepTo(atMs);
      isSame = true;
      this.#setToolsOf(at);
      this.#input(entry);
    }
    await settled();
    const hasEnded = this.#deeds.some(([, { kind }]) => kind === 'ends');
    // A session that has not ended where the call had is given time to show what it would have done.
    if (!hasEnded && this.#trace.isWhole)
      await this.#clock.passTo(this.#clock.monotonic() + AFTER_THE_END_MS, settled);
    return { deeds: this.#deeds, transcript: this.#session.conversation.transcript };
  }

  async #similarity(): Promise<number | null> {
    return (await this.#arrivals.next('similarity', this.#next('similarity'))) as number | null;
  }

  #did(deed: Deed): void {
    this.#deeds.push([this.#clock.monotonic(), deed]);
  }

  #next(kind: string): number {
    const number = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, number + 1);
    return number;
  }

  #know(answer: Answer): void {
    switch (answer.kind) {
      case 'spoken':
        this.#rulings.set(answer.of, answer.ruling);
        return;
      case 'waits':
        this.#waits.add(answer.of);
        return;
      case 'interlude':
        this.#methods.set(answer.of, answer.methods);
        return;
      case 'step': {
        const name = `${answer.of} ${answer.method}`;
        const steps = this.#steps.get(name) ?? [];
        steps.push(answer.result);
        this.#steps.set(name, steps);
      }
    }
  }

  /** The tools were recorded when the session looked at them, which it does because of an input. */
  #setToolsOf(input: number): void {
    const { events } = this.#trace;
    for (let at = input + 1; at < events.length; at++) {
      const entry = events[at]?.[1];
      if (entry === undefined || isInput(entry)) return;
      if (entry.kind === 'tools') this.#setTools(entry.list);
    }
  }

  #setTools(list: Extract<Answer, { kind: 'tools' }>['list']): void {
    this.#tools = new Map(
      list.map(({ name, filler }) => [name, { tool: toolOf(name, filler), check: { problem: () => null } }]),
    );
  }

  #input(input: Input): void {
    const session = this.#session;
    switch (input.kind) {
      case 'call':
        callMethod(session, input.method, this.#argumentsOf(input.method, input.args));
        return;
      case 'input':
        callMethod(session.input, input.method, this.#argumentsOf(input.method, input.args));
        return;
      case 'timer':
        this.#clock.fire(input.of);
        return;
      case 'brain':
        this.#arrivals.bring('brain', input.of, { event: input.event });
        return;
      case 'brain_end':
        this.#arrivals.bring('brain', input.of, { fault: input.fault });
        return;
      case 'tool':
        this.#arrivals.bring('tool', input.of, input.outcome);
        return;
      case 'passages':
        this.#arrivals.bring('passages', input.of, input.isFound);
        return;
      case 'meant':
      case 'heard':
        this.#arrivals.bring(input.kind, input.of, input.ruling);
        return;
      case 'similarity':
        this.#arrivals.bring(input.kind, input.of, input.value);
        return;
      case 'work':
        this.#arrivals.bring('work', input.of, input.step);
    }
  }

  #argumentsOf(method: string, args: readonly unknown[]): readonly unknown[] {
    if (method === 'take') {
      const event = args[0] as { kind: string };
      return [event.kind === 'audio' ? { ...event, pcm: new Uint8Array() } : event];
    }
    if (method === 'reconfigure') return [args[0], args[1] === true ? ({} as EngineVoice) : null];
    if (method === 'guardBy') return [this.#guard(args[0] as GuardShape | null)];
    if (method === 'beginInterlude') return [this.#interlude(args[0] as number)];
    return args;
  }

  #lane(): VoiceLane {
    return {
      push: () => true,
      speak: (speech, _segment, text, { held }) => this.#did({ kind: 'says', speech, text, held }),
      finish: (speech) => this.#did({ kind: 'finishes', speech }),
      release: (speech) => this.#did({ kind: 'plays', speech }),
      discard: (speech) => this.#did({ kind: 'discards', speech }),
      stopPlayback: () => this.#did({ kind: 'stops' }),
      setVoice: () => undefined,
      setLanguage: () => undefined,
      close: () => undefined,
    };
  }

  #brain(): Brain {
    return { name: 'replay', respond: (_request, signal) => this.#answer(this.#next('brain'), signal) };
  }

  async *#answer(of: number, signal: AbortSignal): AsyncIterable<BrainEvent> {
    for (;;) {
      const arrived = await this.#arrivals.next('brain', of, signal);
      if (arrived === undefined) return;
      const { event, fault } = arrived as { event?: BrainEvent; fault?: BrainFault | null };
      if (event !== undefined) yield event;
      else if (fault === null || fault === undefined) return;
      else throw new BrainError(fault, 'as in the call', { retryable: false });
    }
  }

  #dispatcher(): SessionTools {
    const tools = () => this.#tools;
    return {
      get tools() {
        return tools();
      },
      call: async (_turn, _name, _arguments, options = {}) => {
        const of = this.#next('tool');
        if (this.#waits.has(of)) options.onWaiting?.();
        return this.#outcomeOf((await this.#arrivals.next('tool', of)) as ToolOutcome);
      },
      close: () => undefined,
    };
  }

  #outcomeOf(outcome: ToolOutcome): ToolOutcome {
    if (outcome.kind !== 'effect') return outcome;
    const effect = outcome.effect as unknown as { kind: string; of: number };
    if (effect.kind === 'interlude')
      return { ...outcome, effect: { kind: 'interlude', interlude: this.#interlude(effect.of) } };
    if (effect.kind !== 'step') return outcome;
    return { ...outcome, effect: { kind: 'step', step: () => this.#stepNow(effect.of, 'step') } };
  }

  #guard(shape: GuardShape | null): CallGuard | undefined {
    if (shape === null) return undefined;
    const ask = async (kind: 'meant' | 'heard') =>
      (await this.#arrivals.next(kind, this.#next(kind))) as GuardRuling | null;
    return {
      spoken: () => this.#rulings.get(this.#next('spoken')) ?? null,
      ...(shape.meant === null ? {} : { meant: { stops: shape.meant === 'stops', ask: () => ask('meant') } }),
      ...(shape.hears ? { heard: () => ask('heard') } : {}),
    };
  }

  /** An interlude answers as it did in the call: its own work is an input of the session. */
  #interlude(of: number): Interlude {
    const known = this.#interludes.get(of);
    if (known !== undefined) return known;
    const own: Record<string, unknown> = {};
    for (const method of this.#methods.get(of) ?? [])
      if (method === 'asks')
        Object.defineProperty(own, method, { get: () => this.#result(of, method) ?? false });
      else if (method === 'expected' || method === 'languageChanged' || method === 'dropped')
        own[method] = () => this.#result(of, method) ?? null;
      else if (method === 'guess') own[method] = () => termsOf(this.#result(of, method));
      else own[method] = () => this.#stepNow(of, method);
    const interlude = own as unknown as Interlude;
    this.#interludes.set(of, interlude);
    return interlude;
  }

  #result(of: number, method: string): unknown {
    return this.#steps.get(`${of} ${method}`)?.shift();
  }

  #stepNow(of: number, method: string): InterludeStep {
    return this.#stepOf(this.#result(of, method) as StoredStep | null) ?? { kind: 'listen' };
  }

  #stepOf(stored: StoredStep | null | undefined): InterludeStep | undefined {
    if (stored === null || stored === undefined) return undefined;
    switch (stored.kind) {
      case 'work': {
        const done = this.#arrivals
          .next('work', stored.of as number)
          .then((next) => this.#stepOf(next as StoredStep | null) ?? { kind: 'listen' as const });
        return { kind: 'work', say: stored.say as string | null, done };
      }
      case 'continue':
        return { kind: 'continue', step: () => this.#stepNow(stored.of as number, 'step') };
      case 'answer':
        return { ...stored, kind: 'answer', terms: termsOf(stored.terms) as AnswerTerms };
      case 'done': {
        const { message, host } = stored as { message?: string | null; host?: number };
        const hosts = host === undefined ? {} : { host: this.#interlude(host) };
        return { kind: 'done', message: message ?? null, ...hosts };
      }
      default:
        return stored as InterludeStep;
    }
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function callMethod(target: object, method: string, args: readonly unknown[]): void {
  const call = (target as Record<string, unknown>)[method];
  if (typeof call === 'function') call.apply(target, args);
}

const toolOf = (name: string, filler: string | null): SessionTool => ({
  name,
  description: '',
  parameters: {},
  timeoutMs: Number.MAX_SAFE_INTEGER,
  filler,
});

function termsOf(stored: unknown): AnswerTerms | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const terms = stored as Pick<AnswerTerms, 'tools' | 'query' | 'messages' | 'topics'> & {
    readonly own: readonly { readonly name: string; readonly filler: string | null }[];
  };
  const own = terms.own.map(({ name, filler }) => toolOf(name, filler));
  return { ...terms, own, persona: '', refusal: () => null };
}
