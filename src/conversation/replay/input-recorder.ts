import type { Clock } from '../../foundation/platform/clock.ts';
import { type Brain, BrainError, type BrainEvent } from '../brains/index.ts';
import type {
  AnswerTerms,
  CallGuard,
  Interlude,
  InterludeStep,
  LaneEvent,
  Session,
  SessionOptions,
  SessionOutput,
  ToolEffect,
  VoiceLane,
} from '../session/index.ts';
import {
  CALL_METHODS,
  type Deed,
  type GuardShape,
  INPUT_METHODS,
  type SessionTrace,
  type StoredStep,
  type TraceEntry,
  type TraceEvent,
} from './trace.ts';

/** More than an hour of a busy call has less, as JSON. Most events are the agent's audio, of which one is kept. */
const MAX_BYTES = 8 * 1024 * 1024;
const AUDIO = [{ kind: 'audio' }];
const INTERLUDE_METHODS = [
  'begin',
  'take',
  'expected',
  'nest',
  'languageChanged',
  'spoken',
  'answered',
  'woken',
  'guess',
  'dropped',
] as const;

/**
 * Records what goes into one session and what it does. The session gets the wrapped options; it is then attached, so
 * that calls of its methods are recorded too. Nothing else about the session changes.
 */
export class InputRecorder {
  readonly #clock: Clock;
  readonly #beganAt: number;
  readonly #events: TraceEvent[] = [];
  readonly #counts = new Map<string, number>();
  readonly #interludes = new Map<Interlude, { readonly id: number; readonly inner: Interlude }>();
  #bytes = 0;
  #isFull = false;
  #head: Omit<SessionTrace, 'events' | 'isWhole' | 'isMasked' | 'version'> | null = null;
  #tools: SessionOptions['toolDispatcher']['tools'] | null = null;
  #depth = 0;
  #isSameTask = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganAt = clock.monotonic();
  }

  get trace(): SessionTrace | null {
    if (this.#head === null) return null;
    return { version: 1, ...this.#head, events: this.#events, isWhole: !this.#isFull, isMasked: false };
  }

  optionsOf(options: SessionOptions): SessionOptions {
    const { settings, speculates = true, idle = null, guard, host } = options;
    const recordedHost = host === undefined ? undefined : this.#interludeOf(host);
    this.#head = {
      settings,
      speculates,
      idle,
      host: recordedHost === undefined ? null : this.#idOf(recordedHost),
      guard: shapeOf(guard),
      comparesTopics: options.similarity !== undefined,
    };
    return {
      ...options,
      clock: this.#clockOf(options.clock),
      lane: this.#laneOf(options.lane),
      brain: this.#brainOf(options.brain),
      toolDispatcher: this.#dispatcherOf(options.toolDispatcher),
      output: this.#outputOf(options.output),
      retrieve: this.#retrieveOf(options.retrieve),
      guard: this.#guardOf(guard),
      host: recordedHost,
      ...this.#similarityOf(options.similarity),
    };
  }

  attach(session: Session): void {
    const methods = session as unknown as Record<string, (...args: never[]) => unknown>;
    for (const method of CALL_METHODS) this.#recordMethod('call', methods, method);
    const inputs = session.input as unknown as typeof methods;
    for (const method of INPUT_METHODS) this.#recordMethod('input', inputs, method);
  }

  #recordMethod(
    kind: 'call' | 'input',
    target: Record<string, (...args: never[]) => unknown>,
    method: string,
  ): void {
    const inner = (target[method] as (...args: unknown[]) => unknown).bind(target);
    target[method] = (...args: unknown[]) => {
      if (this.#depth > 0) return inner(...args);
      const [stored, passed] = this.#argumentsOf(method, args);
      return this.#within({ kind, method, args: stored }, () => inner(...passed));
    };
  }

  /** Returns what is stored of the arguments, and what the session gets. */
  #argumentsOf(method: string, args: readonly unknown[]): [readonly unknown[], readonly unknown[]] {
    switch (method) {
      case 'take': {
        const event = args[0] as LaneEvent;
        return [event.kind === 'audio' ? AUDIO : [event], args];
      }
      case 'reconfigure':
        return [[args[0], args[1] !== null], args];
      case 'guardBy': {
        const guard = args[0] as CallGuard | undefined;
        return [[shapeOf(guard)], [this.#guardOf(guard)]];
      }
      case 'beginInterlude': {
        const interlude = this.#interludeOf(args[0] as Interlude);
        return [[this.#idOf(interlude)], [interlude]];
      }
      case 'injectContext':
        return [[''], args];
      case 'injectLateToolResult':
        return [[args[0], ''], args];
      default:
        return [args, args];
    }
  }

  #within<T>(entry: TraceEntry, run: () => T): T {
    this.#add(entry);
    this.#depth++;
    try {
      return run();
    } finally {
      this.#depth--;
    }
  }

  #add(entry: TraceEntry): void {
    if (this.#isFull) return;
    this.#bytes += sizeOf(entry);
    if (this.#bytes > MAX_BYTES) {
      this.#isFull = true;
      return;
    }
    const atMs = Math.round((this.#clock.monotonic() - this.#beganAt) * 10) / 10;
    this.#events.push(this.#isSameTask ? [atMs, entry, 1] : [atMs, entry]);
    if (this.#isSameTask) return;
    this.#isSameTask = true;
    queueMicrotask(() => {
      this.#isSameTask = false;
    });
  }

  #next(kind: string): number {
    const number = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, number + 1);
    return number;
  }

  #clockOf(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, task) => {
        const of = this.#next('timer');
        return clock.after(ms, () => this.#within({ kind: 'timer', of }, task));
      },
    };
  }

  #laneOf(lane: VoiceLane): VoiceLane {
    const add = (deed: Deed) => this.#add(deed);
    return {
      ...(lane.playsModelVoice === undefined ? {} : { playsModelVoice: lane.playsModelVoice }),
      push: (pcm) => lane.push(pcm),
      speak: (speech, segment, text, options) => {
        add({ kind: 'says', speech, text, held: options.held });
        lane.speak(speech, segment, text, options);
      },
      finish: (speech) => {
        add({ kind: 'finishes', speech });
        lane.finish(speech);
      },
      release: (speech) => {
        add({ kind: 'plays', speech });
        lane.release(speech);
      },
      discard: (speech) => {
        add({ kind: 'discards', speech });
        lane.discard(speech);
      },
      stopPlayback: () => {
        add({ kind: 'stops' });
        lane.stopPlayback();
      },
      setVoice: (voice) => lane.setVoice(voice),
      setLanguage: (language) => lane.setLanguage(language),
      callerAudio: (message) => lane.callerAudio?.(message) ?? null,
      setExpectedAnswer: (answer) => lane.setExpectedAnswer?.(answer),
      close: () => lane.close(),
    };
  }

  #outputOf(output: SessionOutput): SessionOutput {
    return {
      ...output,
      bargeIn: (turn, playedMs) => {
        this.#add({ kind: 'barge_in', turn, playedMs });
        output.bargeIn(turn, playedMs);
      },
      ended: (reason) => {
        this.#add({ kind: 'ends', reason });
        output.ended(reason);
      },
    };
  }

  #brainOf(brain: Brain): Brain {
    return {
      name: brain.name,
      respond: (request, signal) => this.#recordAnswer(this.#next('brain'), brain.respond(request, signal)),
    };
  }

  async *#recordAnswer(of: number, answer: AsyncIterable<BrainEvent>): AsyncIterable<BrainEvent> {
    try {
      for await (const event of answer) {
        // The memory of a brain goes back to the brain alone, and its voice to the lane.
        const stored = event.kind === 'memory' ? { ...event, memory: null } : event;
        if (stored.kind !== 'voice') this.#add({ kind: 'brain', of, event: stored });
        yield event;
      }
    } catch (error) {
      const fault = error instanceof BrainError ? error.fault : 'garbage';
      this.#add({ kind: 'brain_end', of, fault });
      throw error;
    }
    this.#add({ kind: 'brain_end', of, fault: null });
  }

  #dispatcherOf(dispatcher: SessionOptions['toolDispatcher']): SessionOptions['toolDispatcher'] {
    const recorder = this;
    return {
      get tools() {
        const { tools } = dispatcher;
        if (tools !== recorder.#tools) {
          recorder.#tools = tools;
          const list = [...tools].map(([name, { tool }]) => ({ name, filler: tool.filler }));
          recorder.#add({ kind: 'tools', list });
        }
        return tools;
      },
      call: async (turn, name, argumentsText, options = {}) => {
        const of = this.#next('tool');
        const outcome = await dispatcher.call(turn, name, argumentsText, {
          ...options,
          onWaiting: () => {
            this.#add({ kind: 'waits', of });
            options.onWaiting?.();
          },
        });
        const effect = outcome.kind === 'effect' ? this.#effectOf(outcome.effect) : null;
        const passed = effect === null ? outcome : { ...outcome, effect: effect.passed };
        // The content of a result goes to the brain alone; the record has it.
        const stored = effect === null ? {} : { effect: effect.stored };
        this.#add({ kind: 'tool', of, outcome: { ...outcome, content: '', ...stored } });
        return passed as typeof outcome;
      },
      close: () => dispatcher.close(),
    };
  }

  #effectOf(effect: ToolEffect): { readonly passed: ToolEffect; readonly stored: unknown } {
    if (effect.kind === 'interlude') {
      const interlude = this.#interludeOf(effect.interlude);
      return { passed: { ...effect, interlude }, stored: { kind: 'interlude', of: this.#idOf(interlude) } };
    }
    if (effect.kind !== 'step') return { passed: effect, stored: effect };
    const of = this.#next('interlude');
    const step = () => this.#passStep(of, 'step', effect.step());
    return { passed: { ...effect, step }, stored: { kind: 'step', of } };
  }

  #retrieveOf(retrieve: SessionOptions['retrieve']): SessionOptions['retrieve'] {
    return async (query, signal) => {
      const of = this.#next('passages');
      try {
        const passages = await retrieve(query, signal);
        this.#add({ kind: 'passages', of, isFound: true });
        return passages;
      } catch (error) {
        this.#add({ kind: 'passages', of, isFound: false });
        throw error;
      }
    };
  }

  #similarityOf(similarity: SessionOptions['similarity']): Pick<SessionOptions, 'similarity'> {
    if (similarity === undefined) return {};
    return {
      similarity: async (...asked) => {
        const of = this.#next('similarity');
        const value = await similarity(...asked);
        this.#add({ kind: 'similarity', of, value });
        return value;
      },
    };
  }

  #guardOf(guard: CallGuard | undefined): CallGuard | undefined {
    if (guard === undefined) return undefined;
    const { meant, heard } = guard;
    return {
      spoken: (before, piece, language) => {
        const of = this.#next('spoken');
        const ruling = guard.spoken(before, piece, language);
        if (ruling !== null) this.#add({ kind: 'spoken', of, ruling });
        return ruling;
      },
      ...(meant === undefined
        ? {}
        : {
            meant: {
              stops: meant.stops,
              ask: async (piece, language) => {
                const of = this.#next('meant');
                const ruling = await meant.ask(piece, language);
                this.#add({ kind: 'meant', of, ruling });
                return ruling;
              },
            },
          }),
      ...(heard === undefined
        ? {}
        : {
            heard: async (text, language) => {
              const of = this.#next('heard');
              const ruling = await heard.call(guard, text, language);
              this.#add({ kind: 'heard', of, ruling });
              return ruling;
            },
          }),
    };
  }

  #idOf(interlude: Interlude): number {
    return this.#interludes.get(interlude)?.id ?? -1;
  }

  #interludeOf(inner: Interlude): Interlude {
    const known = [...this.#interludes].find(([own, one]) => one.inner === inner || own === inner);
    if (known !== undefined) return known[0];
    const id = this.#next('interlude');
    const methods = INTERLUDE_METHODS.filter((method) => inner[method] !== undefined);
    this.#add({ kind: 'interlude', of: id, methods: 'asks' in inner ? [...methods, 'asks'] : methods });
    const own = {} as Record<string, unknown>;
    for (const method of methods)
      own[method] = (...args: never[]) => {
        const passed = args.map((arg) => this.#interludes.get(arg)?.inner ?? arg);
        const result = (inner[method] as (...args: unknown[]) => unknown).call(inner, ...passed);
        if (method !== 'guess') return this.#passStep(id, method, result as InterludeStep);
        const terms = result as AnswerTerms | null;
        this.#add({ kind: 'step', of: id, method, result: terms && storedTerms(terms) });
        return terms;
      };
    if ('asks' in inner)
      Object.defineProperty(own, 'asks', {
        get: () => {
          const { asks } = inner;
          this.#add({ kind: 'step', of: id, method: 'asks', result: asks ?? null });
          return asks;
        },
      });
    this.#interludes.set(own as unknown as Interlude, { id, inner });
    return own as unknown as Interlude;
  }

  #passStep<T extends InterludeStep | undefined>(of: number, method: string, step: T): T {
    const [stored, passed] = this.#stepOf(step);
    this.#add({ kind: 'step', of, method, result: stored ?? null });
    return passed as T;
  }

  /** Returns what is stored of a step, and what the session gets in its place. */
  #stepOf(step: InterludeStep | undefined): [StoredStep | undefined, InterludeStep | undefined] {
    if (typeof step !== 'object' || step === null) return [step, step];
    switch (step.kind) {
      case 'work': {
        const of = this.#next('work');
        const done = step.done.then((next) => {
          const [stored, passed] = this.#stepOf(next);
          this.#add({ kind: 'work', of, step: stored ?? null });
          return passed as InterludeStep;
        });
        return [
          { kind: 'work', say: step.say, of },
          { ...step, done },
        ];
      }
      case 'continue': {
        const of = this.#next('interlude');
        const next = () => this.#passStep(of, 'step', step.step());
        return [
          { kind: 'continue', of },
          { ...step, step: next },
        ];
      }
      case 'answer':
        return [{ ...step, terms: storedTerms(step.terms) }, step];
      case 'done': {
        if (step.host === undefined) return [{ ...step }, step];
        const host = this.#interludeOf(step.host);
        return [
          { ...step, host: this.#idOf(host) },
          { ...step, host },
        ];
      }
      default:
        return [{ ...step }, step];
    }
  }
}

/** An entry that cannot be stored has no end of bytes; the call goes on. */
function sizeOf(entry: TraceEntry): number {
  try {
    return JSON.stringify(entry).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const storedTerms = ({ tools, own, query, messages, topics }: AnswerTerms) => ({
  ...(topics === undefined ? {} : { topics: { rule: topics.rule, about: [] } }),
  tools,
  own: own.map(({ name, filler }) => ({ name, filler })),
  query: query === null ? null : '',
  messages,
});

const shapeOf = (guard: CallGuard | undefined): GuardShape | null =>
  guard === undefined
    ? null
    : {
        meant: guard.meant === undefined ? null : guard.meant.stops ? 'stops' : 'flags',
        hears: guard.heard !== undefined,
      };
