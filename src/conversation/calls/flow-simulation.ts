import type { Clock } from '../../foundation/platform/clock.ts';
import { type CaptureRequest, dayIn } from '../../language/capture/index.ts';
import type { Lookup } from '../agents/index.ts';
import { compile, type Flow, FlowEngine, type PathStep } from '../flows/index.ts';
import type { AnswerTerms, InterludeStep, ToolDispatcher, ToolOutcome } from '../session/index.ts';
import type { BuiltinToolActions } from './builtin-tools.ts';
import { SERVED_LANGUAGES, type ServedLanguage } from './configuration.ts';
import { FlowTalk, SWITCH_LANGUAGE } from './flow-talk.ts';
import { type LookupTools, recordSource } from './record-source.ts';
import { SILENCE } from './silence.ts';

/** An event is the caller's part, or the answer of something that a simulation does not run. */
export type SimulatedEvent =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'keys'; readonly keys: string }
  | { readonly kind: 'silence' }
  /** The time of the node or of its wait is up. */
  | { readonly kind: 'time' }
  /** The model has answered and named no exit. */
  | { readonly kind: 'answered' }
  /** The model says that the caller wants this. */
  | { readonly kind: 'exit'; readonly intent: string }
  | { readonly kind: 'result'; readonly ok: boolean; readonly value?: unknown }
  | { readonly kind: 'chosen'; readonly answer: string | null }
  /** The caller speaks this language in what follows. */
  | { readonly kind: 'language'; readonly language: ServedLanguage }
  /** The agent that took the call hands it back. */
  | { readonly kind: 'returned' };

export const AWAITED = ['caller', 'model', 'tool', 'message', 'handoff', 'choice'] as const;
export type Awaited = (typeof AWAITED)[number];

export interface SimulatedTurn {
  /** Null is the beginning of the call. */
  readonly event: SimulatedEvent | null;
  readonly said: readonly string[];
  readonly node: string;
}

export interface Simulation {
  readonly turns: readonly SimulatedTurn[];
  /** Null means that the call is over. */
  readonly awaits: Awaited | null;
  /** The input of the awaited tool, choice, message or hand-off. */
  readonly request: Readonly<Record<string, unknown>> | null;
  readonly exits: readonly { readonly name: string; readonly description: string | null }[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly passed: readonly string[];
  /** The times of the path are indices of `turns`. */
  readonly path: readonly PathStep[];
  readonly refused: readonly { readonly node: string; readonly wanted: string; readonly reason: string }[];
}

export interface SimulationOptions {
  readonly flow: Flow;
  readonly language: ServedLanguage;
  readonly now: number;
  readonly lookups?: readonly Lookup[];
}

export class SimulationError extends Error {
  /** The place of the event that does not fit what the call waits for. */
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const NO_TOOLS: LookupTools = {
  find: () => undefined,
  call: async () => ({ kind: 'error', reason: 'unknown_tool', content: 'no tool runs in a simulation' }),
};

const MOST_STEPS = 200;
const FITTING: Readonly<Record<Awaited, readonly SimulatedEvent['kind'][]>> = {
  caller: ['said', 'keys', 'silence', 'time', 'language'],
  model: ['answered', 'exit', 'said', 'keys', 'silence', 'time', 'language'],
  tool: ['result'],
  message: ['result'],
  handoff: ['result'],
  choice: ['chosen'],
};

const RETURNS: readonly SimulatedEvent['kind'][] = ['returned'];

/**
 * Plays the events against a flow as a call would, with the engine's own questions, captures and edges. It calls no
 * model and no tool: the events say what they answered. The same events always lead to the same simulation.
 */
export async function simulateFlow(
  options: SimulationOptions,
  events: readonly SimulatedEvent[],
): Promise<Simulation> {
  const call = new SimulatedCall(options);
  await call.begin();
  for (const [at, event] of events.entries()) await call.take(event, at);
  return call.view();
}

type Pending = {
  readonly kind: Exclude<Awaited, 'caller' | 'model'>;
  readonly request: Readonly<Record<string, unknown>>;
  readonly answer: (event: SimulatedEvent) => void;
};

class SimulatedCall {
  readonly #talk: FlowTalk;
  readonly #turns: { event: SimulatedEvent | null; said: string[]; node: string }[] = [];
  readonly #timers = new Set<() => void>();
  readonly #engine: FlowEngine;
  #pending: Pending | null = null;
  #work: Promise<InterludeStep> | null = null;
  #terms: AnswerTerms | null = null;
  /** The agent that took the call; null while the simulated one has it. */
  #away: string | null = null;
  #language: ServedLanguage;
  #isOver = false;

  constructor({ flow, language, now, lookups = [] }: SimulationOptions) {
    this.#engine = new FlowEngine(compile(flow));
    this.#language = language;
    const clock: Pick<Clock, 'after'> = {
      after: (_ms, task) => {
        this.#timers.add(task);
        return () => void this.#timers.delete(task);
      },
    };
    this.#talk = new FlowTalk({
      engine: this.#engine,
      clock,
      dispatcher: this.#dispatcher(),
      actions: this.#actions(dayIn('UTC', now), lookups),
      atMs: () => this.#turns.length - 1,
      language: () => this.#language,
      persona: () => '',
      farewell: () => null,
      values: { meta: {} },
      choose: (question, answers) =>
        this.#wait('choice', { question, answers }, (event) =>
          event.kind === 'chosen' ? event.answer : null,
        ),
      onNode: () => undefined,
      onSpeed: () => undefined,
      wake: () => undefined,
    });
  }

  async begin(): Promise<void> {
    this.#turns.push({ event: null, said: [], node: '' });
    await this.#follow(this.#talk.begin());
  }

  async take(event: SimulatedEvent, at: number): Promise<void> {
    const awaits = this.#awaits;
    if (awaits === null) throw new SimulationError(at, 'the call ended before this event');
    const fitting = this.#away === null ? FITTING[awaits] : RETURNS;
    if (!fitting.includes(event.kind))
      throw new SimulationError(
        at,
        `the call is waiting for the ${awaits} here; valid events are ${fitting.join(', ')}`,
      );
    this.#turns.push({ event, said: [], node: this.#talk.state?.node ?? '' });
    if (awaits === 'model' && event.kind !== 'exit' && event.kind !== 'language') {
      this.#terms = null;
      await this.#follow(this.#talk.answered());
      if (event.kind === 'answered' || this.#awaits !== 'caller') return;
    }
    const step = await this.#stepOf(event);
    if (step !== null) await this.#follow(step);
  }

  view(): Simulation {
    const { state } = this.#talk;
    if (state === null) throw new Error('the simulation was not started');
    const { meta: _meta, ...values } = state.values;
    const awaits = this.#awaits;
    return {
      turns: this.#turns,
      awaits,
      request: this.#request,
      exits: awaits === 'model' ? this.#engine.exits(state) : [],
      values,
      passed: state.passed,
      path: state.path,
      refused: state.refused.map(({ node, wanted, reason }) => ({ node, wanted, reason })),
    };
  }

  get #awaits(): Awaited | null {
    if (this.#isOver) return null;
    if (this.#away !== null) return 'handoff';
    if (this.#pending !== null) return this.#pending.kind;
    return this.#terms === null ? 'caller' : 'model';
  }

  get #request(): Simulation['request'] {
    return this.#away === null ? (this.#pending?.request ?? null) : { agent_id: this.#away, has_call: true };
  }

  async #stepOf(event: SimulatedEvent): Promise<InterludeStep | null> {
    switch (event.kind) {
      case 'said':
      case 'keys':
      case 'silence':
        return this.#talk.take(event);
      case 'time': {
        const tasks = [...this.#timers];
        this.#timers.clear();
        for (const task of tasks) task();
        return this.#talk.woken();
      }
      case 'exit':
        return this.#exit(event.intent);
      case 'result':
      case 'chosen': {
        const work = this.#work;
        this.#work = null;
        this.#pending?.answer(event);
        this.#pending = null;
        return await work;
      }
      case 'answered':
        return null;
      case 'language':
        this.#speaks(event.language);
        return null;
      case 'returned':
        this.#away = null;
        return this.#talk.begin();
    }
  }

  /** The flow learns of the language before the caller's words, as in a call. */
  #speaks(language: ServedLanguage): void {
    if (language === this.#language) return;
    this.#language = language;
    this.#talk.languageChanged(language);
  }

  #exit(intent: string): InterludeStep | null {
    const tool = this.#terms?.own[0];
    if (tool === undefined || (tool.problem?.({ wants: intent }) ?? null) !== null) return null;
    const effect = tool.act?.({ wants: intent });
    this.#terms = null;
    return effect?.kind === 'step' ? effect.step() : null;
  }

  async #follow(first: InterludeStep): Promise<void> {
    let step = first;
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const turn = this.#turns.at(-1);
      if (turn !== undefined && 'say' in step && step.say !== null) turn.said.push(step.say);
      if (turn !== undefined) turn.node = this.#talk.state?.node ?? '';
      switch (step.kind) {
        case 'say':
          step = this.#talk.spoken(true);
          continue;
        case 'continue':
          step = step.step() ?? { kind: 'listen' };
          continue;
        case 'work':
          if (this.#pending !== null) {
            this.#work = step.done;
            return;
          }
          step = await step.done;
          continue;
        case 'answer':
          this.#terms = step.terms;
          return;
        case 'leave':
          this.#isOver = true;
          return;
        case 'done':
          this.#isOver = step.message !== null && this.#away === null;
          return;
        case 'ask':
        case 'wait':
        case 'listen':
          return;
      }
    }
    this.#isOver = true;
  }

  #wait<T>(
    kind: Pending['kind'],
    request: Pending['request'],
    read: (event: SimulatedEvent) => T,
  ): Promise<T> {
    return new Promise((resolve) => {
      this.#pending = { kind, request, answer: (event) => resolve(read(event)) };
    });
  }

  #dispatcher(): Pick<ToolDispatcher, 'tools' | 'call'> {
    return {
      tools: new Map(),
      call: (_turn, name, args) =>
        this.#wait('tool', { tool: name, arguments: JSON.parse(args) as unknown }, (event): ToolOutcome => {
          if (event.kind !== 'result' || !event.ok)
            return { kind: 'error', reason: 'failed', content: 'the simulated tool failed' };
          if (name === SWITCH_LANGUAGE) this.#switchAsAsked(args);
          return { kind: 'result', content: JSON.stringify(event.value ?? null) };
        }),
    };
  }

  #switchAsAsked(args: string): void {
    const { language } = JSON.parse(args) as { language?: unknown };
    const served = SERVED_LANGUAGES.find((one) => one === language);
    if (served !== undefined) this.#speaks(served);
  }

  #actions(today: number, lookups: readonly Lookup[]): BuiltinToolActions {
    return {
      hints: (): CaptureRequest['hints'] => ({ language: this.#language, today }),
      captured: () => undefined,
      lookups: () => lookups.map(({ name }) => name),
      // A lookup's tool is not called: its value is read as one without records.
      records: (name) => {
        const found = lookups.find((one) => one.name === name);
        return found === undefined ? null : recordSource(found, NO_TOOLS);
      },
      failed: () => undefined,
      transfer: () => undefined,
      handOff: ({ agentId, context, slots }) =>
        this.#wait('handoff', { agent_id: agentId, context, slots }, (event) => {
          if (event.kind !== 'result' || !event.ok) return null;
          const { node = '' } = this.#talk.state ?? {};
          // Nothing follows a node without edges: the call is over here.
          this.#away = this.#engine.flow.edges.has(node) ? agentId : null;
          return { message: '(handoff)', host: null };
        }),
      languages: () => SERVED_LANGUAGES,
      switchLanguage: async () => false,
      sendKeys: () => undefined,
      waitFor: () => ({
        ...SILENCE,
        take: ({ kind }) => (kind === 'silence' ? { kind: 'wait' } : { kind: 'done', message: null }),
      }),
      record: () => false,
      remember: async () => false,
      sendMessage: (body) =>
        this.#wait('message', { body }, (event) =>
          event.kind === 'result' && event.ok
            ? { result: { status: 'sent' } }
            : { error: 'the simulated message was not sent' },
        ),
    };
  }
}
