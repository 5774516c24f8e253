import { systemPrompt } from '../../src/conversation/brains/index.ts';
import type { BuiltinToolActions } from '../../src/conversation/calls/builtin-tools.ts';
import { FlowTalk } from '../../src/conversation/calls/flow-talk.ts';
import { type CompiledFlow, compile, FlowEngine } from '../../src/conversation/flows/index.ts';
import {
  type AnswerTerms,
  type InterludeInput,
  type InterludeStep,
  type SessionTool,
  ToolDispatcher,
} from '../../src/conversation/session/index.ts';
import { toolsOf } from '../../src/conversation/session/tool-dispatcher.ts';
import { systemClock } from '../../src/foundation/platform/clock.ts';
import { type Business, type Facts, toolOf, type Wish } from './business.ts';
import type { Caller } from './callers.ts';
import type { Misbehaviour, Model } from './model.ts';

const MOST_STEPS = 160;
const CHARACTERS_A_TOKEN = 4;

export interface Outcome {
  /** Guarded acts that were done before what they need had happened. */
  readonly skipped: readonly string[];
  readonly refused: number;
  readonly misbehaved: readonly Misbehaviour[];
  readonly completed: boolean;
  readonly endedIn: string;
  readonly decisionsMs: readonly number[];
  readonly promptTokens: readonly number[];
  readonly wholeTokens: readonly number[];
}

/** `none` is the engine as it is. Each of the others takes one check away, so that the bench is shown to see a skip. */
export const MUTATIONS = {
  none: 'the engine as it is',
  'required nodes': 'required nodes are not checked',
  'tools of a step': 'the model may call every tool in every step',
  'words to their end': 'a required line counts when it was interrupted',
} as const;
export type Mutation = keyof typeof MUTATIONS;

class UncheckedEngine extends FlowEngine {
  override missing(): string[] {
    return [];
  }

  override skips(): boolean {
    return false;
  }
}

const engineOf = (flow: CompiledFlow, mutation: Mutation): FlowEngine =>
  mutation === 'required nodes' ? new UncheckedEngine(flow) : new FlowEngine(flow);

/** Sees what is done to the caller, and holds it against what has happened; it knows nothing of the engine. */
class Witness implements Facts {
  readonly slots = new Map<string, string>();
  readonly heard = new Set<string>();
  readonly done = new Set<string>();
  readonly answers = new Map<string, Readonly<Record<string, unknown>>>();
  readonly keys = new Set<string>();
  readonly acts = new Set<string>();
  readonly skipped: string[] = [];
  readonly #business: Business;

  constructor(business: Business) {
    this.#business = business;
  }

  act(what: string): void {
    this.acts.add(what);
    const mayBeDone = this.#business.guarded[what];
    if (mayBeDone !== undefined && !mayBeDone(this)) this.skipped.push(what);
  }

  played(words: string): void {
    for (const [name, line] of Object.entries(this.#business.lines))
      if (words.includes(line)) this.heard.add(name);
  }
}

export interface CallOrder {
  readonly business: Business;
  readonly caller: Caller;
  readonly random: () => number;
  readonly model: Model;
  readonly mutation?: Mutation;
}

let callCount = 0;

export async function callOf(order: CallOrder): Promise<Outcome> {
  const call = new ScriptedCall(order, `call-${++callCount}`);
  return await call.run();
}

interface CallerTurn {
  readonly input: InterludeInput;
  readonly isOnTopic: boolean;
}

class ScriptedCall {
  readonly #order: CallOrder;
  readonly #name: string;
  readonly #wish: Wish;
  readonly #witness: Witness;
  readonly #dispatcher: ToolDispatcher;
  readonly #talk: FlowTalk;
  readonly #timers = new Set<() => void>();
  readonly #history: { by: 'caller' | 'agent'; text: string }[] = [];
  readonly #misbehaved: Misbehaviour[] = [];
  readonly #decisionsMs: number[] = [];
  readonly #promptTokens: number[] = [];
  readonly #wholeTokens: number[] = [];
  #said = '';
  #isOnTopic = true;
  #hasWished = false;
  #wasInterrupted = false;
  #strays = 0;
  #turn = 0;
  #isOver = false;
  #refused = 0;

  constructor(order: CallOrder, name: string) {
    const { business, caller, mutation = 'none' } = order;
    this.#order = order;
    this.#name = name;
    this.#wish = business.wishes[caller.at % business.wishes.length] as Wish;
    const witness = new Witness(business);
    this.#witness = witness;
    this.#dispatcher = new ToolDispatcher({
      clock: systemClock,
      newCallId: () => `t${++callCount}`,
      send: () => undefined,
    });
    const tools = Object.entries(business.tools).map(([tool, answer]) => this.#toolOf(tool, answer));
    this.#dispatcher.replace([], [...tools, ...this.#builtins()]);
    this.#talk = new FlowTalk({
      engine: engineOf(compile(business.flow), mutation),
      clock: {
        after: (_ms, task) => {
          this.#timers.add(task);
          return () => void this.#timers.delete(task);
        },
      },
      dispatcher: this.#dispatcher,
      actions: this.#actions(),
      atMs: () => 0,
      language: () => 'en',
      persona: () => business.persona,
      farewell: () => null,
      values: {},
      choose: async (_question, answers) => this.#choice(answers),
      onNode: () => undefined,
      wake: () => undefined,
      onSpeed: () => undefined,
    });
  }

  async run(): Promise<Outcome> {
    let step = this.#decided(() => this.#talk.begin());
    for (let count = 0; count < MOST_STEPS && !this.#isOver; count++) step = await this.#follow(step);
    const { path = [], node = '', refused = [] } = this.#talk.state ?? {};
    const { goals, act } = this.#wish;
    const goal = path.find((one) => goals.includes(one.node))?.node;
    const isHandedOver = this.#order.business.flow.nodes.some(
      ({ id, type }) => id === goal && type === 'transfer',
    );
    return {
      skipped: this.#witness.skipped,
      refused: refused.length + this.#refused,
      misbehaved: this.#misbehaved,
      completed: goal !== undefined && (isHandedOver || act === null || this.#witness.acts.has(act)),
      endedIn: node,
      decisionsMs: this.#decisionsMs,
      promptTokens: this.#promptTokens,
      wholeTokens: this.#wholeTokens,
    };
  }

  async #follow(step: InterludeStep): Promise<InterludeStep> {
    switch (step.kind) {
      case 'ask':
        return this.#asked(step.say);
      case 'say': {
        const { caller, random, mutation } = this.#order;
        this.#speaks(step.say);
        const whole = random() >= caller.interrupts;
        this.#wasInterrupted = !whole;
        if (whole) this.#witness.played(step.say);
        const counts = whole || mutation === 'words to their end';
        return this.#decided(() => this.#talk.spoken(counts));
      }
      case 'listen':
        return this.#take(this.#reply());
      case 'wait':
        return this.#timers.size > 0 && this.#order.random() < 0.7
          ? this.#timeIsUp()
          : this.#take(this.#reply());
      case 'answer':
        return await this.#answer(step.terms);
      case 'continue':
        return step.step() ?? { kind: 'listen' };
      case 'work':
        return await step.done;
      case 'done':
        // The other agent had the call and hands it back.
        if (step.message !== null) return this.#decided(() => this.#talk.begin());
        return { kind: 'listen' };
      case 'leave':
        this.#isOver = true;
        return step;
    }
  }

  #asked(words: string): InterludeStep {
    this.#speaks(words);
    this.#witness.played(words);
    return this.#take(this.#reply());
  }

  #timeIsUp(): InterludeStep {
    const tasks = [...this.#timers];
    this.#timers.clear();
    for (const task of tasks) task();
    return this.#decided(() => this.#talk.woken());
  }

  #take({ input, isOnTopic }: CallerTurn): InterludeStep {
    this.#turn++;
    this.#isOnTopic = isOnTopic;
    if (input.kind === 'said') this.#history.push({ by: 'caller', text: input.text });
    if (input.kind === 'keys') this.#witness.keys.add(input.keys);
    return this.#decided(() => this.#talk.take(input));
  }

  #reply(): CallerTurn {
    const { caller, business, random } = this.#order;
    const { strays, strayShare, silent, breaksIn } = caller;
    const keys = business.keys.find(([offered]) => offered.test(this.#said))?.[1];
    if (this.#wasInterrupted) {
      this.#wasInterrupted = false;
      if (keys !== undefined && random() < 0.5) return { input: { kind: 'keys', keys }, isOnTopic: true };
      return { input: { kind: 'said', text: breaksIn }, isOnTopic: false };
    }
    if (random() < silent) return { input: { kind: 'silence' }, isOnTopic: false };
    if (this.#hasWished && random() < strayShare) {
      const text = strays[this.#strays++ % strays.length] as string;
      return { input: { kind: 'said', text }, isOnTopic: false };
    }
    if (keys !== undefined) return { input: { kind: 'keys', keys }, isOnTopic: true };
    return { input: { kind: 'said', text: this.#words() }, isOnTopic: true };
  }

  #words(): string {
    const { caller, business } = this.#order;
    if (/\bright\?|\bcorrect\?/i.test(this.#said)) return caller.yes;
    const answer = business.knows.find(([asked]) => asked.test(this.#said))?.[1](caller);
    if (answer === 'yes') return caller.yes;
    if (answer !== undefined) return filledIn(caller.answer, answer);
    const isFirst = !this.#hasWished;
    this.#hasWished = true;
    return isFirst ? filledIn(caller.wish, this.#wish.says) : `${this.#wish.says}.`;
  }

  async #answer(terms: AnswerTerms): Promise<InterludeStep> {
    const { business, caller, model, random, mutation } = this.#order;
    const everything = Object.keys(business.tools);
    const offered = mutation === 'tools of a step' ? [...everything, 'transfer', 'end_call'] : terms.tools;
    this.#promptTokens.push(tokensOf(terms.persona, [...terms.own, ...terms.tools.map(toolOf)]));
    this.#wholeTokens.push(tokensOf(business.persona, everything.map(toolOf)));
    const { text, calls, misbehaved } = await model({
      terms,
      business,
      caller,
      wish: this.#wish,
      isOnTopic: this.#isOnTopic,
      done: this.#witness.done,
      history: this.#history,
      call: this.#name,
      random,
    });
    if (misbehaved !== null) this.#misbehaved.push(misbehaved);
    const tools = toolsOf(this.#dispatcher, offered, terms.own);
    for (const { name, args } of calls) {
      const outcome = await this.#dispatcher.call(this.#turn, name, JSON.stringify(args), {
        tools,
        refusal: (tool) => terms.refusal(tool),
      });
      if (outcome.kind === 'error') continue;
      if (outcome.kind !== 'effect') continue;
      const { effect } = outcome;
      if (effect.kind === 'step') return this.#decided(() => effect.step());
      this.#isOver = true;
      return { kind: 'listen' };
    }
    this.#speaks(text === '' ? 'How can I help you?' : text);
    return this.#decided(() => this.#talk.answered());
  }

  #speaks(text: string): void {
    this.#said = text;
    this.#history.push({ by: 'agent', text });
  }

  #decided(decide: () => InterludeStep): InterludeStep {
    const began = performance.now();
    const step = decide();
    this.#decisionsMs.push(performance.now() - began);
    return step;
  }

  #choice(answers: readonly string[]): string | null {
    const { random } = this.#order;
    const mood = random();
    if (mood < 0.2) return 'none of them';
    return mood < 0.3 ? null : (answers[Math.floor(random() * answers.length)] ?? null);
  }

  #toolOf(name: string, answer: Business['tools'][string]): SessionTool {
    return {
      ...toolOf(name),
      run: async () => {
        this.#witness.act(name);
        const result = answer(this.#order.caller);
        this.#witness.done.add(name);
        this.#witness.answers.set(name, result);
        return { result };
      },
    };
  }

  /** An agent may have these tools; no step of the flows offers them. */
  #builtins(): SessionTool[] {
    return [
      {
        ...toolOf('transfer'),
        act: ({ to }) => {
          this.#witness.act(`transfer ${String(to)}`);
          return { kind: 'hand_over' };
        },
      },
      { ...toolOf('end_call'), act: () => ({ kind: 'end_call' }) },
    ];
  }

  #actions(): BuiltinToolActions {
    const witness = this.#witness;
    return {
      hints: () => ({ language: 'en', today: Date.UTC(2026, 10, 29) }),
      lookups: () => [],
      records: () => null,
      captured: ({ slot }, { value }) => witness.slots.set(slot, value),
      failed: () => undefined,
      transfer: (to) => witness.act(`transfer ${to}`),
      handOff: async ({ agentId }) => {
        witness.act(`handoff ${agentId}`);
        return { message: '(handoff)', host: null };
      },
      languages: () => ['en'],
      switchLanguage: async () => false,
      sendKeys: () => undefined,
      waitFor: () => {
        throw new Error('no flow of the bench waits for a person');
      },
      record: () => false,
      remember: async () => false,
      sendMessage: async () => {
        witness.act('message');
        return { result: { status: 'sent' } };
      },
    };
  }
}

const filledIn = (script: string, words: string): string => {
  const text = script.replace('{}', words);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const tokensOf = (persona: string, tools: readonly SessionTool[]): number => {
  const prompt = systemPrompt({
    language: 'en',
    persona,
    messages: [],
    tools: [],
    passages: [],
    grounding: 'open',
  });
  const reported = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return (prompt.length + JSON.stringify(reported).length) / CHARACTERS_A_TOKEN;
};
