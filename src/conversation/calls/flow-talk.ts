import type { Clock } from '../../foundation/platform/clock.ts';
import { type CaptureKind, parseAgreement } from '../../language/capture/index.ts';
import type { AgentLanguage } from '../../language/text/index.ts';
import {
  type FlowEffect,
  type FlowEngine,
  type FlowEvent,
  type FlowState,
  type FlowStep,
  filledWords,
  type Moment,
  type Words,
} from '../flows/index.ts';
import type {
  AnswerTerms,
  ExpectedAnswer,
  Interlude,
  InterludeInput,
  InterludeStep,
  PendingAnswer,
  SessionTool,
  ToolDispatcher,
} from '../session/index.ts';
import { handoffStep } from './agent-handoff.ts';
import type { BuiltinToolActions } from './builtin-tools.ts';
import type { CapturedValue, CaptureFailure, CaptureListener } from './capture-interlude.ts';
import { captureOf } from './capture-of.ts';
import { ConfirmationInterlude } from './confirmation-interlude.ts';
import { termsOf } from './flow-terms.ts';
import { SILENCE } from './silence.ts';
import { WordsInterlude } from './words-interlude.ts';

export interface FlowTalkOptions {
  readonly engine: FlowEngine;
  readonly clock: Pick<Clock, 'after'>;
  readonly dispatcher: Pick<ToolDispatcher, 'tools' | 'call'>;
  readonly actions: BuiltinToolActions;
  readonly atMs: () => number;
  readonly language: () => AgentLanguage;
  readonly persona: () => string;
  readonly farewell: () => string | null;
  readonly values: Readonly<Record<string, unknown>>;
  readonly choose: (question: string, answers: readonly string[]) => Promise<string | null>;
  readonly onNode: (node: string, from: string | null) => void;
  readonly onSpeed: (speed: number) => void;
  readonly state?: FlowState;
  /**
   * The call was disconnected in this flow. `words` come first, and `pending` is the answer that the caller waits
   * for.
   */
  readonly resumes?: { readonly words: string | null; readonly pending: PendingAnswer | null };
  readonly wake: () => void;
}

type Inner =
  | { readonly of: 'slot' | 'wait'; readonly interlude: Interlude }
  | { readonly of: 'tool'; readonly interlude: Interlude; readonly outcome: () => FlowEvent }
  | { readonly of: 'other'; readonly interlude: Interlude };

export const SWITCH_LANGUAGE = 'switch_language';
const WAKE_AGAIN_MS = 500;

let calls = -1_000_000;

/**
 * The flow controls the conversation from the first word to the last, and asks the model only where a step says so.
 */
export class FlowTalk implements Interlude {
  readonly #options: FlowTalkOptions;
  #state: FlowState | null;
  #resumes: NonNullable<FlowTalkOptions['resumes']> | null;
  #queue: FlowEffect[] = [];
  #inner: Inner | null = null;
  #outcome: FlowEvent | null = null;
  #work: Promise<FlowEvent> | null = null;
  #mustBeHeard = false;
  #lastSaid: string | null = null;
  #stopTimer: () => void = () => undefined;
  #timeIsUp = false;
  #language: string | null = null;
  #speed = 1;

  constructor(options: FlowTalkOptions) {
    this.#options = options;
    this.#state = options.state ?? null;
    this.#resumes = options.resumes ?? null;
  }

  get state(): FlowState | null {
    return this.#state;
  }

  get asks(): boolean {
    return this.#inner !== null;
  }

  begin(): InterludeStep {
    const { engine, values } = this.#options;
    const resumes = this.#resumes;
    this.#resumes = null;
    if (resumes !== null && this.#state !== null) return this.#resume(this.#state, resumes);
    if (this.#state !== null) {
      this.#language = null;
      this.#speed = 1;
      return this.#happens({ kind: 'result', ok: true });
    }
    return this.#follow(engine.begin(this.#moment(), values));
  }

  /** The open question is asked again; where none is open, the agent gives the answer that the caller waits for. */
  #resume(before: FlowState, { words, pending }: NonNullable<FlowTalkOptions['resumes']>): InterludeStep {
    const { state, effects } = this.#options.engine.resume(before, this.#moment());
    this.#state = state;
    this.#time(state);
    this.#pace(state.node);
    const isIdle = effects.every(({ kind }) => kind === 'listen');
    this.#queue = isIdle && pending?.kind === 'question' ? [{ kind: 'speak', query: null }] : [...effects];
    const rest = isIdle && pending?.kind === 'lines' ? pending.lines : [];
    return this.#next([...(words === null ? [] : [words]), ...rest]);
  }

  take(input: InterludeInput): InterludeStep {
    const inner = this.#inner;
    if (inner !== null && inner.of !== 'slot' && inner.of !== 'wait')
      return this.#aside(input) ?? this.#inside(inner.interlude.take(input));
    const led = this.#followLanguage();
    if (led !== null) return led;
    if (this.#timeIsUp) {
      this.#timeIsUp = false;
      this.#stopTimer();
      const before = this.#now;
      const late = this.#options.engine.step(before, this.#timeEvent, this.#moment());
      if (late.state.moves !== before.moves) return this.#follow(late);
    }
    return this.#happens(eventOf(input), input);
  }

  nest(inner: Interlude): InterludeStep {
    this.#dropInner();
    this.#inner = { of: 'other', interlude: inner };
    return this.#inside(inner.begin());
  }

  spoken(whole: boolean): InterludeStep {
    if (this.#mustBeHeard) {
      this.#mustBeHeard = false;
      return this.#happens({ kind: 'spoken', whole });
    }
    // The model does not answer what preceded the caller's latest words.
    if (!whole) this.#queue = this.#queue.filter(({ kind }) => kind !== 'speak');
    return this.#next([]);
  }

  answered(): InterludeStep {
    const isClosing = this.#options.engine.nodeOf(this.#now).type === 'end';
    const step = this.#happens({ kind: 'answered' });
    // The model has said goodbye.
    return isClosing && step.kind === 'leave' ? { ...step, say: null } : step;
  }

  guess(text: string): AnswerTerms | null {
    const state = this.#state;
    if (state === null || state.over || this.#inner !== null || this.#work !== null || this.#mustBeHeard)
      return null;
    const step = this.#options.engine.step(state, { kind: 'heard', text }, this.#moment());
    const [effect, ...more] = step.effects;
    return effect?.kind === 'speak' && more.length === 0 ? this.#terms(step.state, effect.query) : null;
  }

  /** Global edges lead from everywhere, also out of a confirmation. A yes or no is its answer. */
  #aside(input: InterludeInput): InterludeStep | null {
    const { engine, language } = this.#options;
    if (input.kind !== 'said' || parseAgreement(input.text, language()) !== null) return null;
    const led = engine.step(this.#now, { kind: 'aside', text: input.text }, this.#moment());
    return led.effects.length === 0 ? null : this.#follow(led);
  }

  /** The flow's language edges are evaluated after the client has been informed of the change. */
  languageChanged(language: string): void {
    this.#language = language;
    this.#inner?.interlude.languageChanged?.(language);
  }

  #followLanguage(): InterludeStep | null {
    const language = this.#language;
    this.#language = null;
    if (language === null) return null;
    const before = this.#now;
    const moved = this.#options.engine.step(before, { kind: 'language', language }, this.#moment());
    return moved.state.moves === before.moves ? null : this.#follow(moved);
  }

  expected(): ExpectedAnswer | null {
    return this.#inner?.interlude.expected?.() ?? null;
  }

  woken(): InterludeStep {
    return this.#timeIsUp ? this.#timeOver() : { kind: 'listen' };
  }

  dropped(): void {
    this.#stopTimer();
    this.#dropInner();
  }

  get #now(): FlowState {
    if (this.#state === null) throw new Error('the flow was used before it started');
    return this.#state;
  }

  #moment(): Moment {
    return { atMs: this.#options.atMs(), language: this.#options.language() };
  }

  #timeOver(): InterludeStep {
    this.#timeIsUp = false;
    return this.#happens(this.#timeEvent);
  }

  /** A wait without a condition succeeds when its time is over; a wait for someone fails. */
  get #timeEvent(): FlowEvent {
    const node = this.#options.engine.nodeOf(this.#now);
    if (node.type !== 'wait' || node.seconds === undefined) return { kind: 'time' };
    return { kind: 'result', ok: node.until === undefined, value: null };
  }

  #happens(event: FlowEvent, input?: InterludeInput): InterludeStep {
    return this.#follow(this.#options.engine.step(this.#now, event, this.#moment()), input);
  }

  #follow({ state, effects }: FlowStep, input?: InterludeInput): InterludeStep {
    this.#state = state;
    if (effects.some(({ kind }) => kind === 'entered')) {
      this.#dropInner();
      this.#queue = [];
      this.#time(state);
    }
    this.#queue.push(...effects);
    return this.#next([], input);
  }

  #time(state: FlowState): void {
    this.#stopTimer();
    this.#timeIsUp = false;
    const node = this.#options.engine.nodeOf(state);
    const { max_seconds: most } = node.type === 'join' ? {} : node;
    const seconds = node.type === 'wait' ? (node.seconds ?? most) : most;
    if (seconds === undefined || state.over) return;
    const up = () => {
      this.#timeIsUp = true;
      this.#options.wake();
      // A wake-up is ignored while somebody speaks or a tool runs.
      if (this.#timeIsUp) this.#stopTimer = this.#options.clock.after(WAKE_AGAIN_MS, up);
    };
    this.#stopTimer = this.#options.clock.after(seconds * 1000, up);
  }

  #pace(node: string): void {
    const speed = this.#speedOf(node);
    if (speed !== this.#speed) this.#options.onSpeed(speed);
    this.#speed = speed;
  }

  #speedOf(id: string): number {
    const node = this.#options.engine.nodeOf({ node: id });
    return (node.type === 'join' ? undefined : node.speed) ?? 1;
  }

  #next(said: readonly string[], input?: InterludeInput): InterludeStep {
    const effect = this.#queue.shift();
    if (effect === undefined || effect.kind === 'listen' || effect.kind === 'idle') return this.#rest(said);
    switch (effect.kind) {
      case 'entered': {
        // The words of the previous node are spoken at that node's speed.
        if (said.length > 0 && this.#speedOf(effect.node) !== this.#speed) return this.#first(effect, said);
        this.#pace(effect.node);
        this.#options.onNode(effect.node, effect.from);
        return this.#next(said, input);
      }
      case 'refuse':
        return this.#next(said, input);
      case 'say':
        if (!effect.whole) return this.#next([...said, effect.text], input);
        this.#mustBeHeard = true;
        return this.#say([...said, effect.text]);
      case 'repeat':
        return this.#rest([...said, this.#lastSaid ?? '']);
      case 'ask':
        return this.#asked(this.#question(effect.slot), said);
      case 'hear':
        return this.#hear(input);
      case 'speak':
        if (said.length > 0) return this.#first(effect, said);
        return { kind: 'answer', terms: this.#terms(this.#now, effect.query) };
      case 'wait':
        if (said.length > 0) return this.#first(effect, said);
        this.#inner = {
          of: 'wait',
          interlude: effect.until === null ? SILENCE : this.#options.actions.waitFor(effect.until),
        };
        return this.#inside(this.#inner.interlude.begin());
      case 'call':
        return this.#call(effect, said);
      case 'choose':
        return this.#begin(this.#choose(effect.question, effect.answers), said);
      case 'send':
        return this.#begin(this.#send(effect.body), said);
      case 'handoff':
        return said.length > 0 ? this.#first(effect, said) : this.#handOff(effect);
      case 'transfer':
        this.#options.actions.transfer(effect.to, effect.summary, effect.manner);
        return { kind: 'leave', say: joined(said), as: 'hand_over' };
      case 'end':
        return { kind: 'leave', say: joined(said) ?? this.#options.farewell(), as: 'agent_ended' };
    }
  }

  #rest(said: readonly string[]): InterludeStep {
    const words = joined(said);
    if (words !== null) {
      if (this.#work !== null) return this.#say(said);
      this.#lastSaid = words;
      return { kind: 'ask', say: words };
    }
    return this.#work === null ? { kind: 'listen' } : this.#working(this.#work);
  }

  #say(said: readonly string[]): InterludeStep {
    const words = joined(said) ?? '';
    this.#lastSaid = words;
    return { kind: 'say', say: words };
  }

  #first(effect: FlowEffect, said: readonly string[]): InterludeStep {
    this.#queue.unshift(effect);
    return this.#say(said);
  }

  #begin(work: Promise<FlowEvent>, said: readonly string[]): InterludeStep {
    this.#work = work;
    return this.#rest(said);
  }

  #working(work: Promise<FlowEvent>): InterludeStep {
    const step = (event: FlowEvent): InterludeStep => {
      if (this.#work !== work) return { kind: 'listen' };
      this.#work = null;
      return this.#happens(event);
    };
    const done = work.then((event): InterludeStep => ({ kind: 'continue', step: () => step(event) }));
    return { kind: 'work', say: null, done };
  }

  #asked(interlude: Interlude, said: readonly string[]): InterludeStep {
    this.#inner = { of: 'slot', interlude };
    return this.#inside(interlude.begin(), said);
  }

  #hear(input: InterludeInput | undefined): InterludeStep {
    if (input === undefined) return { kind: 'listen' };
    if (this.#inner === null) {
      const node = this.#options.engine.nodeOf(this.#now);
      const slot =
        node.type === 'ask' ? node.slots.find(({ name }) => !this.#now.filled.includes(name)) : undefined;
      if (slot === undefined) return { kind: 'listen' };
      const interlude = this.#question(slot.name);
      this.#inner = { of: 'slot', interlude };
      interlude.begin();
    }
    return this.#inside(this.#inner.interlude.take(input));
  }

  #inside(step: InterludeStep, said: readonly string[] = []): InterludeStep {
    if (step.kind === 'ask') {
      const words = joined([...said, step.say]) ?? step.say;
      this.#lastSaid = words;
      return { kind: 'ask', say: words };
    }
    if (step.kind === 'work') {
      const done = step.done.then(
        (next): InterludeStep => ({ kind: 'continue', step: () => this.#inside(next) }),
      );
      return { ...step, done };
    }
    if (step.kind !== 'done') return step;
    const inner = this.#inner;
    this.#inner = null;
    if (inner?.of === 'tool') return this.#happens(inner.outcome());
    if (inner?.of === 'wait') return this.#happens({ kind: 'result', ok: true, value: step.message });
    if (inner?.of === 'slot') {
      const outcome = this.#outcome ?? { kind: 'capture_failed', slot: '' };
      this.#outcome = null;
      return this.#happens(outcome);
    }
    const led = this.#followLanguage();
    if (led !== null) return led;
    if (step.message === null) return this.#rest([]);
    return { kind: 'answer', terms: this.#terms(this.#now, null), message: step.message };
  }

  #dropInner(): void {
    const inner = this.#inner;
    this.#inner = null;
    inner?.interlude.dropped?.();
    this.#outcome = null;
  }

  #question(name: string): Interlude {
    const { actions, language } = this.#options;
    const node = this.#options.engine.nodeOf(this.#now);
    const slot = node.type === 'ask' ? node.slots.find((one) => one.name === name) : undefined;
    if (slot === undefined) throw new Error(`no node asks for ${name}`);
    const { kind, label, confirm, lookup } = slot;
    const attempts = node.type === 'ask' ? node.attempts : undefined;
    if (kind === 'choice' || kind === 'text') {
      const order = { slot: name, kind: 'name' as const, hints: actions.hints() };
      return new WordsInterlude({
        prompt: () => this.#inLanguage(slot.prompt),
        label: () => this.#inLanguage(label) ?? name.replaceAll('_', ' '),
        options: kind === 'choice' ? (slot.options ?? []) : null,
        attempts,
        language,
        taken: (value, attempts) => {
          this.#outcome = { kind: 'captured', slot: name, value };
          actions.captured(
            { ...order, kind: kind as CaptureKind },
            { value, confidence: 1, confirmed: 'high_confidence', attempts },
          );
        },
        failed: (reason) => {
          this.#outcome = { kind: 'capture_failed', slot: name };
          actions.failed({ ...order, kind: kind as CaptureKind }, reason);
        },
      });
    }
    const prompt = this.#inLanguage(slot.prompt);
    const order = {
      slot: name,
      kind,
      hints: actions.hints(),
      ...(label === undefined ? {} : { label: () => this.#inLanguage(label) ?? '' }),
      ...(attempts === undefined ? {} : { attempts }),
      ...(confirm === undefined || confirm === 'auto' ? {} : { confirm }),
      ...(prompt === null ? {} : { prompt }),
    };
    const records = lookup === undefined ? null : actions.records(lookup);
    return captureOf(order, records, this.#listener(name), false);
  }

  #inLanguage(text: Words | undefined): string | null {
    if (text === undefined) return null;
    const language = this.#options.language();
    const words = typeof text === 'string' ? text : (text[language] ?? text.en ?? Object.values(text)[0]);
    return words === undefined ? null : filledWords(words, this.#now.values);
  }

  #listener(slot: string): CaptureListener {
    const { actions } = this.#options;
    return {
      captured: (order, result: CapturedValue) => {
        this.#outcome = { kind: 'captured', slot, value: result.value };
        actions.captured(order, result);
      },
      failed: (order, reason: CaptureFailure) => {
        this.#outcome = { kind: 'capture_failed', slot };
        actions.failed(order, reason);
      },
    };
  }

  #terms(state: FlowState, query: string | null): AnswerTerms {
    const { engine, persona } = this.#options;
    return termsOf({
      engine,
      state,
      persona: persona(),
      query,
      exit: ({ wants }) => ({
        kind: 'step',
        step: () => this.#happens({ kind: 'exit', intent: String(wants) }),
      }),
      refused: (wanted) => this.#refused(wanted),
    });
  }

  #refused(wanted: string): void {
    const state = this.#now;
    const { engine } = this.#options;
    const reason = engine.refusal(state, wanted) ?? `${wanted} is not an exit of ${state.node}`;
    this.#state = engine.note(state, { node: state.node, wanted, atMs: this.#options.atMs(), reason });
  }

  #call(
    { tool: name, arguments: args }: Extract<FlowEffect, { kind: 'call' }>,
    said: readonly string[],
  ): InterludeStep {
    const tool = this.#options.dispatcher.tools.get(name)?.tool;
    if (name === SWITCH_LANGUAGE && tool?.act !== undefined)
      return this.#begin(this.#switchLanguage(args.language), said);
    if (tool?.confirm === true) return this.#confirm(tool, args, said);
    const words = said.length === 0 && tool?.filler ? [tool.filler] : said;
    return this.#begin(this.#run(name, args, false), words);
  }

  #confirm(
    tool: SessionTool,
    args: Readonly<Record<string, unknown>>,
    said: readonly string[],
  ): InterludeStep {
    let outcome: FlowEvent = { kind: 'result', ok: false };
    const { dispatcher, language } = this.#options;
    const interlude = new ConfirmationInterlude({
      tool,
      args,
      language: language(),
      filler: tool.filler,
      run: async () => {
        const called = await dispatcher.call(--calls, tool.name, JSON.stringify(args), { confirmed: true });
        outcome = resultOf(called);
        return called;
      },
    });
    this.#inner = { of: 'tool', interlude, outcome: () => outcome };
    return this.#inside(interlude.begin(), said);
  }

  async #switchLanguage(wanted: unknown): Promise<FlowEvent> {
    const { actions } = this.#options;
    const language = actions.languages().find((one) => one === wanted);
    const ok = language !== undefined && (await actions.switchLanguage(language, 'flow').catch(() => false));
    return { kind: 'result', ok, value: language ?? null };
  }

  async #run(name: string, args: Readonly<Record<string, unknown>>, confirmed: boolean): Promise<FlowEvent> {
    return resultOf(await this.#options.dispatcher.call(--calls, name, JSON.stringify(args), { confirmed }));
  }

  async #choose(question: string, answers: readonly string[]): Promise<FlowEvent> {
    const answer = await this.#options.choose(question, answers).catch(() => null);
    return { kind: 'chosen', answer };
  }

  async #send(body: string): Promise<FlowEvent> {
    const sent = await this.#options.actions
      .sendMessage(body)
      .catch(() => ({ error: 'it could not be sent' }));
    return { kind: 'result', ok: 'result' in sent };
  }

  #handOff({ agentId, context, slots }: Extract<FlowEffect, { kind: 'handoff' }>): InterludeStep {
    const { values, filled } = this.#now;
    const message = slots ?? filled;
    const known = Object.fromEntries(
      message.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]]] : [])),
    );
    const done = this.#options.actions
      .handOff({ agentId, context, slots: known, by: 'flow' })
      .catch(() => null)
      .then(
        (taken): InterludeStep =>
          taken === null
            ? { kind: 'continue', step: () => this.#happens({ kind: 'result', ok: false }) }
            : handoffStep(taken),
      );
    return { kind: 'work', say: null, done };
  }
}

const joined = (said: readonly string[]): string | null => {
  const words = said.filter((one) => one.trim() !== '').join(' ');
  return words === '' ? null : words;
};

const eventOf = (input: InterludeInput): FlowEvent => {
  if (input.kind === 'said') return { kind: 'heard', text: input.text };
  return input.kind === 'keys' ? { kind: 'keys', keys: input.keys } : { kind: 'silence' };
};

function resultOf(outcome: Awaited<ReturnType<ToolDispatcher['call']>>): FlowEvent {
  if (outcome.kind !== 'result') return { kind: 'result', ok: false };
  return { kind: 'result', ok: true, value: JSON.parse(outcome.content) as unknown };
}
