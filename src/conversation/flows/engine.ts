import { type CompiledFlow, type CompiledNode, holderOf } from './compile.ts';
import { isCallers, leadsTo, mayPass, needsOf, TALKS } from './graph.ts';
import { HeardWords } from './intents.ts';
import { filled, filledValue, holds, type Values } from './rules.ts';
import {
  ATTEMPTS,
  BACK,
  type Condition,
  conditionOf,
  type Edge,
  type GlobalEdge,
  type NodeOf,
  PRIORITY,
  QUEUE_SECONDS,
  REPEAT,
  type Slot,
  VISITS,
  type Words,
} from './schema.ts';
import type { FlowEffect, FlowEvent, FlowState, FlowStep, Moment, Refused } from './state.ts';

/** A flow with more transitions in one call loops, so the call ends. */
const MOST_MOVES = 500;
const MOST_AT_ONCE = 50;
const MOST_REFUSED = 100;
const MOST_LEFT = 8;

type Signal = FlowEvent | { readonly kind: 'begin' };

interface Way {
  readonly to: string;
  readonly edge: Omit<Edge, 'from'>;
  readonly global: boolean;
}

/** The engine is a pure state machine: `(state, event) → state, effects`, without clock, model or audio. */
export class FlowEngine {
  readonly flow: CompiledFlow;
  readonly #needs: ReadonlyMap<string, readonly string[]>;
  readonly #behind = new Map<string, ReadonlySet<string>>();
  /** A list of passed nodes is never changed, so what it lacks for a node is found once. */
  readonly #missing = new WeakMap<readonly string[], Map<string, readonly string[]>>();

  constructor(flow: CompiledFlow) {
    this.flow = flow;
    this.#needs = needsOf(flow);
  }

  begin(moment: Moment, values: Values = {}): FlowStep {
    const state: FlowState = {
      node: this.flow.start,
      status: 'working',
      values,
      filled: [],
      passed: [],
      visits: {},
      turns: 0,
      silences: 0,
      timeIsUp: false,
      answer: null,
      left: [],
      path: [],
      refused: [],
      moves: 0,
      over: false,
    };
    const run = new Run(this, state, moment, { kind: 'begin' });
    run.enter(this.flow.start, null);
    run.advance();
    return run.result();
  }

  step(state: FlowState, event: FlowEvent, moment: Moment): FlowStep {
    if (state.over) return { state, effects: [] };
    const run = new Run(this, state, moment, event);
    run.take(event);
    return run.result();
  }

  /**
   * Resumes a call that was disconnected in this state: the open question is asked again. A tool, message or handoff
   * in progress may or may not have happened: it counts as failed and is not repeated.
   */
  resume(state: FlowState, moment: Moment): FlowStep {
    const run = new Run(this, state, moment, { kind: 'begin' });
    run.resume();
    return run.result();
  }

  nodeOf({ node }: Pick<FlowState, 'node'>): CompiledNode {
    const found = this.flow.nodes.get(node);
    if (found === undefined) throw new Error(`the flow has no node ${node}`);
    return found;
  }

  /** The required nodes that a call must pass before it may enter this one. */
  missing({ passed }: Pick<FlowState, 'passed'>, node: string): readonly string[] {
    const found = this.#missing.get(passed) ?? new Map<string, readonly string[]>();
    this.#missing.set(passed, found);
    let missing = found.get(node);
    if (missing === undefined) {
      const known = new Set(passed);
      missing = (this.#needs.get(node) ?? []).filter((id) => !known.has(id));
      found.set(node, missing);
    }
    return missing;
  }

  /** The tools that some step offers or calls, and that stand behind no required step. */
  freeTools(): ReadonlySet<string> {
    const free = new Set<string>();
    for (const node of this.flow.nodes.values()) {
      if (node.type === 'join' || (this.#needs.get(node.id) ?? []).length > 0) continue;
      for (const name of node.tools ?? []) free.add(name);
      if (node.type === 'tool') free.add(node.tool);
      if (node.type === 'transfer') free.add('transfer');
    }
    return free;
  }

  refusal(state: FlowState, tool: string): string | null {
    const node = this.nodeOf(state);
    if (!state.over && node.type !== 'join' && (node.tools ?? []).includes(tool)) return null;
    const behind = [...this.flow.nodes.values()].find(
      (one) =>
        one.type !== 'join' && (one.tools?.includes(tool) || (one.type === 'tool' && one.tool === tool)),
    );
    const missing = behind === undefined ? [] : this.missing(state, behind.id);
    if (missing.length > 0) return `${tool} is not available before ${missing.join(', ')} was passed`;
    return `${tool} is not available in the step ${state.node}`;
  }

  note(state: FlowState, refused: Refused): FlowState {
    return state.refused.length >= MOST_REFUSED ? state : { ...state, refused: [...state.refused, refused] };
  }

  /** The slots of a required node that another node takes without reading them back as strictly. */
  askedAnew({ id, required, slots }: NodeOf<'ask'>): readonly string[] {
    if (required !== true) return [];
    const others = [...this.flow.nodes.values()].flatMap((node) =>
      node.type === 'ask' && node.id !== id ? node.slots : [],
    );
    const isWeaker = (name: string, confirm: Slot['confirm']): boolean =>
      others.some((other) => other.name === name && strictness(other.confirm) < strictness(confirm));
    return slots.filter(({ name, confirm }) => isWeaker(name, confirm)).map(({ name }) => name);
  }

  /** Returns the intents that the model may report in this state: those of the node and of the whole flow. */
  exits(state: FlowState): { readonly name: string; readonly description: string | null }[] {
    const found = new Map<string, string | null>();
    for (const { to, edge } of this.ways(state)) {
      const { when } = edge;
      if (when?.intent === undefined || to === REPEAT || found.has(when.intent)) continue;
      if (this.closed(state, to) === null && !this.skips(state, { to, edge }))
        found.set(when.intent, when.description ?? when.phrases?.[0] ?? null);
    }
    return [...found].map(([name, description]) => ({ name, description }));
  }

  ways(state: Pick<FlowState, 'node'>): Way[] {
    const own = (this.flow.edges.get(state.node) ?? []).map((edge) => ({ to: edge.to, edge, global: false }));
    // While the call is on hold, the speaker is not the caller.
    const isHeld = this.flow.nodes.get(state.node)?.type === 'wait';
    const globals = (isHeld ? [] : this.flow.globals)
      .filter(({ to }) => to !== state.node)
      .map((edge: GlobalEdge) => ({ to: edge.to, edge, global: true }));
    return [...globals, ...own].sort(
      (one, other) =>
        Number(one.edge.when === undefined) - Number(other.edge.when === undefined) ||
        (one.edge.priority ?? PRIORITY) - (other.edge.priority ?? PRIORITY),
    );
  }

  /**
   * A required node that was not passed holds the call where an edge leads to what needs it: further on, the call would
   * meet closed edges alone.
   */
  skips(
    { node: id, passed }: Pick<FlowState, 'node' | 'passed'>,
    { to, edge }: Omit<Way, 'global'>,
  ): boolean {
    const node = this.flow.nodes.get(id);
    if (node === undefined || node.type === 'join' || node.type === 'subflow') return false;
    if (node.required !== true || passed.includes(id) || !mayPass(node, edge)) return false;
    return this.missing({ passed }, to).includes(id) || this.#leadsBehind(id).has(to);
  }

  #leadsBehind(required: string): ReadonlySet<string> {
    const known = this.#behind.get(required);
    if (known !== undefined) return known;
    const acts = [...this.#needs].flatMap(([id, needs]) => (needs.includes(required) ? [id] : []));
    const found = leadsTo(this.flow, acts, required);
    this.#behind.set(required, found);
    return found;
  }

  closed(state: Pick<FlowState, 'passed' | 'visits'>, to: string): string | null {
    const node = this.flow.nodes.get(to);
    if (node === undefined) return to === BACK || to === REPEAT ? null : `there is no node ${to}`;
    const missing = this.missing(state, to);
    if (missing.length > 0) return `${missing.join(', ')} was not passed`;
    const most = (node.type === 'join' ? undefined : node.max_visits) ?? VISITS;
    return visitsOf(state, to) >= most ? `${to} was entered ${most} times` : null;
  }
}

class Run {
  readonly #engine: FlowEngine;
  readonly #moment: Moment;
  readonly #effects: FlowEffect[] = [];
  #signal: Signal;
  #heard: HeardWords | null;
  #state: FlowState;
  #atOnce = 0;

  constructor(engine: FlowEngine, state: FlowState, moment: Moment, signal: Signal) {
    this.#engine = engine;
    this.#state = state;
    this.#moment = moment;
    this.#signal = signal;
    const hears = signal.kind === 'heard' || signal.kind === 'aside';
    this.#heard = hears ? new HeardWords(signal.text, moment.language) : null;
  }

  result(): FlowStep {
    return { state: this.#state, effects: this.#effects };
  }

  take(event: FlowEvent): void {
    const node = this.#node;
    switch (event.kind) {
      case 'heard':
      case 'keys':
        // Work in progress is neither cancelled nor started twice.
        if (AT_WORK.has(node.type) && this.#state.status === 'working') {
          this.#effects.push({ kind: 'listen' });
          return;
        }
        this.#set({ turns: this.#state.turns + 1, silences: 0 });
        if (!this.advance()) this.#stay(node);
        return;
      case 'aside':
        this.advance();
        return;
      case 'silence':
        this.#set({ silences: this.#state.silences + 1 });
        if (this.advance()) return;
        if (node.type === 'end') this.#over('end');
        else
          this.#effects.push(
            node.type === 'ask' || node.type === 'wait' ? { kind: 'hear' } : { kind: 'idle' },
          );
        return;
      case 'language':
        this.advance();
        return;
      case 'time':
        this.#set({ timeIsUp: true });
        this.advance();
        return;
      case 'spoken':
        this.#spoken(node, event.whole);
        return;
      case 'answered':
        if (node.type === 'end') {
          this.#over('end');
          return;
        }
        if (TALKS.has(node.type) && this.#state.status === 'working' && !mustBeHeard(node))
          this.#set({ status: 'done' });
        if (!this.advance()) this.#effects.push({ kind: 'listen' });
        return;
      case 'exit':
        this.#exit(event.intent);
        return;
      case 'captured':
        this.#captured(event.slot, event.value);
        return;
      case 'capture_failed':
        if (node.type !== 'ask') return;
        this.#set({ status: 'failed' });
        if (!this.advance()) this.#effects.push({ kind: 'speak', query: null });
        return;
      case 'result':
        this.#resulted(event.ok, event.value);
        return;
      case 'chosen':
        if (node.type !== 'decide' || this.#state.status !== 'working') return;
        this.#set({
          status: 'done',
          answer: event.answer !== null && node.answers?.includes(event.answer) ? event.answer : null,
        });
        this.advance();
    }
  }

  resume(): void {
    const node = this.#node;
    if (this.#state.status !== 'working') {
      this.#effects.push({ kind: 'listen' });
      return;
    }
    if (node.type === 'tool' || node.type === 'message' || node.type === 'handoff')
      this.#resulted(false, null);
    else if (node.type === 'decide') {
      this.#decide(node);
      this.advance();
    } else if (node.type === 'ask') this.#askNext(node);
    else if (node.type === 'wait') this.#effects.push({ kind: 'wait', until: node.until ?? null });
    else if (mustBeHeard(node)) this.#say(node.say, node);
    else this.#effects.push(modelCloses(node) ? { kind: 'speak', query: null } : { kind: 'listen' });
  }

  advance(): boolean {
    let moved = false;
    for (;;) {
      if (this.#state.over) return true;
      const way = this.#open();
      if (way === null) return moved || this.#state.over;
      if (++this.#atOnce > MOST_AT_ONCE || this.#state.moves >= MOST_MOVES) {
        this.#over('too many moves');
        return true;
      }
      moved = true;
      if (way.to === REPEAT) {
        this.#effects.push({ kind: 'repeat' });
        return true;
      }
      this.#follow(way);
    }
  }

  /** With `back`, the call returns to a node that a global edge left. */
  enter(to: string, from: string | null, back = false): void {
    const before = this.#state;
    this.#set({
      node: to,
      status: 'working',
      turns: 0,
      silences: 0,
      timeIsUp: false,
      answer: null,
      visits: back ? before.visits : { ...before.visits, [to]: visitsOf(before, to) + 1 },
      moves: before.moves + 1,
      path: [...before.path, { node: to, enteredAtMs: this.#moment.atMs, leftBy: null, reason: null }],
    });
    this.#effects.push({ kind: 'entered', node: to, from });
    this.#work(this.#node, back);
  }

  get #node(): CompiledNode {
    return this.#engine.nodeOf(this.#state);
  }

  #set(change: Partial<FlowState>): void {
    const before = this.#state;
    this.#state = { ...before, ...change };
    const passed = change.status === 'done' ? this.#passedBy(before.node) : null;
    if (passed !== null && !before.passed.includes(passed))
      this.#state = { ...this.#state, passed: [...before.passed, passed] };
  }

  /** A subflow that was entered is passed when it has ended. */
  #passedBy(id: string): string | null {
    if (this.#engine.nodeOf({ node: id }).type === 'subflow') return null;
    return holderOf(id) ?? id;
  }

  #open(): Way | null {
    const isAside = this.#signal.kind === 'aside';
    let isUsedUp = false;
    for (const way of this.#engine.ways(this.#state)) {
      if (isAside && !way.global) continue;
      if (!this.#true(way)) continue;
      if (way.to === BACK && this.#state.left.length === 0) continue;
      const closed = this.#engine.closed(this.#state, way.to);
      if (closed === null && (way.global || !this.#engine.skips(this.#state, way))) return way;
      this.#refuse(way.to, closed ?? `${this.#state.node} was not passed`);
      if (closed === null) continue;
      isUsedUp ||= !way.global && this.#engine.missing(this.#state, way.to).length === 0;
    }
    return isUsedUp && this.#isDone ? this.#lastWay() : null;
  }

  /** The node is done, and all that follows it was entered as often as it may be: nothing else would ever happen. */
  #lastWay(): Way | null {
    const ways = this.#engine.ways(this.#state);
    const failed = ways.find(
      ({ to, edge, global }) =>
        !global && conditionOf(edge.when) === 'attempts' && this.#engine.closed(this.#state, to) === null,
    );
    if (failed === undefined && !ways.some((way) => this.#mayStillOpen(way)))
      this.#over('its steps were entered as often as they may be');
    return failed ?? null;
  }

  /** The caller can still leave by it. */
  #mayStillOpen({ to, edge }: Way): boolean {
    return isCallers([edge as Edge]) && to !== BACK && this.#engine.closed(this.#state, to) === null;
  }

  get #isDone(): boolean {
    const { status } = this.#state;
    return status === 'done' || status === 'failed';
  }

  #true({ edge: { when }, global }: Way): boolean {
    const { status, values, turns, silences, timeIsUp, answer } = this.#state;
    const node = this.#node;
    const signal = this.#signal;
    const isDone = status === 'done';
    switch (conditionOf(when)) {
      case 'slot':
        return [when?.slot ?? []].flat().every((slot) => this.#state.filled.includes(slot));
      case 'rule':
        return (isDone || global) && when?.rule !== undefined && holds(when.rule, values);
      case 'intent':
        if (signal.kind === 'exit') return signal.intent === when?.intent;
        return this.#heard !== null && when !== undefined && this.#heard.say(when);
      case 'result':
        return status === (when?.result === 'ok' ? 'done' : 'failed');
      case 'silence':
        return signal.kind === 'silence' && silences >= (when?.silence ?? 1);
      case 'key':
        return signal.kind === 'keys' && signal.keys === when?.key;
      case 'attempts':
        return timeIsUp || status === 'failed' || (node.type !== 'ask' && turns >= attemptsOf(node));
      case 'answer':
        return isDone && answer !== null && answer === when?.answer;
      case 'language':
        return signal.kind === 'language' && signal.language === when?.language;
      case 'otherwise':
        return isDone && this.#callerHadTheirSay();
    }
  }

  /**
   * In nodes where the caller decides, the fallback edge waits until the caller spoke and the model could report an
   * intent.
   */
  #callerHadTheirSay(): boolean {
    const node = this.#node;
    const out = this.#engine.flow.edges.get(node.id) ?? [];
    if (!TALKS.has(node.type) || !isCallers(out)) return true;
    if (this.#state.turns === 0) return false;
    return this.#signal.kind === 'answered' || !out.some(({ when }) => when?.intent !== undefined);
  }

  #follow({ to, edge, global }: Way): void {
    const before = this.#state;
    const condition = conditionOf(edge.when);
    const reason = reasonOf(condition, edge, this.#state);
    const target = to === BACK ? (before.left.at(-1) as string) : to;
    const leftBy = to === BACK ? 'back' : global ? 'global' : condition;
    this.#leave(leftBy, reason);
    if (to === BACK) this.#set({ left: before.left.slice(0, -1) });
    else if (global || this.#goesBack(to))
      this.#set({ left: [...before.left, before.node].slice(-MOST_LEFT) });
    this.enter(target, before.node, to === BACK);
    // The event that brought the call here is consumed.
    this.#signal = { kind: 'begin' };
    this.#heard = null;
  }

  /** `$back` leads from such a node to the one before it, whichever edge led here. */
  #goesBack(id: string): boolean {
    return (this.#engine.flow.edges.get(id) ?? []).some(({ to }) => to === BACK);
  }

  #leave(leftBy: FlowState['path'][number]['leftBy'], reason: string | null): void {
    const { path } = this.#state;
    const last = path.at(-1);
    if (last !== undefined) this.#set({ path: [...path.slice(0, -1), { ...last, leftBy, reason }] });
  }

  #work(node: CompiledNode, back: boolean): void {
    const { values } = this.#state;
    if ('say' in node && node.say !== undefined) this.#say(node.say, node);
    switch (node.type) {
      case 'join':
      case 'subflow':
        this.#set({ status: 'done' });
        return;
      case 'say':
        if (mustBeHeard(node)) return;
        if (node.say !== undefined) this.#set({ status: 'done' });
        else this.#effects.push({ kind: 'speak', query: null });
        return;
      case 'ask':
        this.#ask(node, back);
        return;
      case 'decide':
        this.#decide(node);
        return;
      case 'tool': {
        const args = filledValue(node.arguments ?? {}, values) as Record<string, unknown>;
        this.#effects.push({ kind: 'call', tool: node.tool, arguments: args });
        return;
      }
      case 'knowledge':
        this.#effects.push({
          kind: 'speak',
          query: node.query === undefined ? null : filled(node.query, values),
        });
        return;
      case 'wait':
        this.#effects.push({ kind: 'wait', until: node.until ?? null });
        return;
      case 'message':
        this.#effects.push({ kind: 'send', body: filled(node.body, values) });
        return;
      case 'transfer':
        this.#effects.push({
          kind: 'transfer',
          to: node.to,
          summary: filled(node.summary ?? '', values),
          manner: {
            kind: node.kind ?? 'warm',
            also: node.also ?? [],
            waitSeconds: node.wait_seconds ?? QUEUE_SECONDS,
            agent: node.agent ?? 'leaves',
          },
        });
        this.#over('transfer', false);
        return;
      case 'handoff':
        this.#effects.push({
          kind: 'handoff',
          agentId: node.agent_id,
          context: node.context ?? 'all',
          slots: node.slots ?? null,
        });
        return;
      case 'end':
        if (modelCloses(node)) this.#effects.push({ kind: 'speak', query: null });
        else this.#over('end');
    }
  }

  #say(words: Words, node: CompiledNode): void {
    const { language } = this.#moment;
    const text =
      typeof words === 'string' ? words : (words[language] ?? words.en ?? Object.values(words)[0] ?? '');
    this.#effects.push({ kind: 'say', text: filled(text, this.#state.values), whole: mustBeHeard(node) });
  }

  /** A second visit asks for the values again, as a required node does for those that were confirmed less strictly. */
  #ask(node: Extract<CompiledNode, { type: 'ask' }>, back: boolean): void {
    const names = node.slots.map(({ name }) => name);
    const isAgain = visitsOf(this.#state, node.id) > 1;
    const asked = isAgain ? names : this.#engine.askedAnew(node);
    if (!back && asked.length > 0)
      this.#set({ filled: this.#state.filled.filter((name) => !asked.includes(name)) });
    this.#askNext(node);
  }

  #askNext(node: Extract<CompiledNode, { type: 'ask' }>): void {
    const next = node.slots.find(({ name }) => !this.#state.filled.includes(name));
    if (next === undefined) this.#set({ status: 'done' });
    else this.#effects.push({ kind: 'ask', slot: next.name });
  }

  #decide(node: Extract<CompiledNode, { type: 'decide' }>): void {
    const { values } = this.#state;
    const out = this.#engine.flow.edges.get(node.id) ?? [];
    const isDecided = out.some(({ when }) => when?.rule !== undefined && holds(when.rule, values));
    if (isDecided || node.question === undefined || node.answers === undefined) this.#set({ status: 'done' });
    else
      this.#effects.push({
        kind: 'choose',
        question: filled(node.question, values),
        answers: node.answers,
      });
  }

  #captured(slot: string, value: unknown): void {
    const node = this.#node;
    if (node.type !== 'ask' || !node.slots.some(({ name }) => name === slot)) return;
    const { values, filled: before } = this.#state;
    this.#set({
      values: { ...values, [slot]: value },
      filled: before.includes(slot) ? before : [...before, slot],
    });
    if (node.slots.every(({ name }) => this.#state.filled.includes(name))) this.#set({ status: 'done' });
    if (!this.advance()) {
      if (this.#state.status === 'done') this.#effects.push({ kind: 'speak', query: null });
      else this.#askNext(node);
    }
  }

  #resulted(ok: boolean, value: unknown): void {
    const node = this.#node;
    if (!ENDS_WITH_RESULT.has(node.type) || this.#state.status !== 'working') return;
    const { values } = this.#state;
    const saved = node.type === 'tool' && node.save !== undefined && ok ? { [node.save]: value } : {};
    this.#set({
      status: ok ? 'done' : 'failed',
      values: { ...values, ...saved, ...(ok ? { result: value } : {}) },
    });
    if (!this.advance()) this.#effects.push({ kind: 'speak', query: null });
  }

  #spoken(node: CompiledNode, whole: boolean): void {
    if (!mustBeHeard(node) || this.#state.status !== 'working') return;
    if (!whole) return;
    this.#set({ status: 'done' });
    if (!this.advance()) this.#effects.push({ kind: 'listen' });
  }

  #exit(intent: string): void {
    const known = this.#engine.exits(this.#state).some(({ name }) => name === intent);
    if (known && this.advance()) return;
    const reason = `${intent} is not an exit of ${this.#state.node}`;
    this.#refuse(intent, reason);
    this.#effects.push({ kind: 'refuse', reason });
  }

  #stay(node: CompiledNode): void {
    switch (node.type) {
      case 'ask':
      case 'wait':
        this.#effects.push({ kind: 'hear' });
        return;
      case 'end':
        this.#over('end');
        return;
      case 'say':
      case 'knowledge':
        if (mustBeHeard(node) && this.#state.status === 'working') this.#say(node.say, node);
        else this.#effects.push({ kind: 'speak', query: null });
        return;
      default:
        this.#effects.push(
          this.#state.status === 'working' ? { kind: 'listen' } : { kind: 'speak', query: null },
        );
    }
  }

  #refuse(wanted: string, reason: string): void {
    const { node } = this.#state;
    this.#state = this.#engine.note(this.#state, { node, wanted, atMs: this.#moment.atMs, reason });
  }

  #over(reason: string, ends = true): void {
    this.#leave('ended', reason);
    this.#set({ over: true, status: 'done' });
    if (ends) this.#effects.push({ kind: 'end' });
  }
}

const ENDS_WITH_RESULT: ReadonlySet<CompiledNode['type']> = new Set(['tool', 'message', 'wait', 'handoff']);

const AT_WORK: ReadonlySet<CompiledNode['type']> = new Set(['tool', 'message', 'decide']);

/** A node may be called `constructor`, so names of Object.prototype are not counts. */
const visitsOf = ({ visits }: Pick<FlowState, 'visits'>, id: string): number =>
  Object.hasOwn(visits, id) ? (visits[id] ?? 0) : 0;

const strictness = (confirm: Slot['confirm']): number =>
  ['never', 'auto', 'always'].indexOf(confirm ?? 'auto');

/** A required line is passed when all of it was heard. */
const mustBeHeard = (node: CompiledNode): node is NodeOf<'say'> & { readonly say: Words } =>
  node.type === 'say' && node.required === true && node.say !== undefined;

/** The model says the last words of the call; whatever the caller does then, the call ends. */
const modelCloses = (node: CompiledNode): boolean =>
  node.type === 'end' && node.say === undefined && node.instruction !== undefined;

const attemptsOf = (node: CompiledNode): number =>
  (node.type === 'join' ? undefined : node.attempts) ?? ATTEMPTS;

function reasonOf(condition: Condition, { when }: Omit<Edge, 'from'>, state: FlowState): string {
  switch (condition) {
    case 'slot':
      return `${[when?.slot ?? []].flat().join(', ')} filled`;
    case 'rule':
      return 'the rule is true';
    case 'intent':
      return `the caller wants ${when?.intent}`;
    case 'result':
      return `the result is ${when?.result}`;
    case 'silence':
      return `${state.silences} times silent`;
    case 'key':
      return `key ${when?.key}`;
    case 'attempts':
      return state.timeIsUp ? 'the time is up' : 'the attempts are used up';
    case 'answer':
      return `the model chose ${state.answer}`;
    case 'language':
      return `the caller speaks ${when?.language}`;
    case 'otherwise':
      return 'the node is done';
  }
}
