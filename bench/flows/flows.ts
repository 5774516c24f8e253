// npm run bench -- flows: runs scripted callers against flows with a model that misbehaves on purpose. It measures
// skipped required steps, calls that reached their goal, the time of the engine's decisions, and the prompt sizes
// with and without a flow. The part `local` adds calls in which a language model on this machine speaks.

import { systemPrompt } from '../../src/conversation/brains/index.ts';
import type { BuiltinToolActions } from '../../src/conversation/calls/builtin-tools.ts';
import { FlowTalk } from '../../src/conversation/calls/flow-talk.ts';
import { compile, FlowEngine } from '../../src/conversation/flows/index.ts';
import {
  type AnswerTerms,
  type InterludeStep,
  type SessionTool,
  ToolDispatcher,
} from '../../src/conversation/session/index.ts';
import { systemClock } from '../../src/foundation/platform/clock.ts';
import { median, percentile, type Report, runBench } from '../harness/index.ts';
import { BUSINESSES, type Business, toolOf } from './businesses.ts';
import { CALLERS, type Caller } from './callers.ts';
import { modelOf, openLocalModel } from './local-model.ts';
import { type Model, scriptedModel } from './model.ts';

const SEED = 20_261_128;
const MOST_STEPS = 120;
const CHARACTERS_A_TOKEN = 4;

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Outcome {
  /** A guarded tool ran, or a guarded transfer was made, before its required steps. */
  readonly skipped: number;
  readonly refused: number;
  readonly completed: boolean;
  readonly decisionsMs: readonly number[];
  readonly promptTokens: readonly number[];
  readonly wholeTokens: readonly number[];
}

class Witness {
  readonly given = new Set<string>();
  readonly heard = new Set<string>();
  skipped = 0;
  readonly #business: Business;

  constructor(business: Business) {
    this.#business = business;
  }

  acts(what: string): void {
    if (!this.#business.guarded.includes(what)) return;
    const gave = this.#business.needs.every((slot) => this.given.has(slot));
    const reported = this.#business.terms === null || this.heard.has(this.#business.terms);
    if (!gave || !reported) this.skipped++;
  }
}

interface Order {
  readonly business: Business;
  readonly caller: Caller;
  readonly random: () => number;
  readonly model: Model;
}

let callCount = 0;

async function callOf({ business, caller, random, model }: Order): Promise<Outcome> {
  const call = `call-${++callCount}`;
  const witness = new Witness(business);
  const decisionsMs: number[] = [];
  const promptTokens: number[] = [];
  const wholeTokens: number[] = [];
  let refused = 0;
  const dispatcher = new ToolDispatcher({
    clock: systemClock,
    newCallId: () => `t${random()}`,
    send: () => undefined,
  });
  dispatcher.replace(
    [],
    business.tools.map((name) => witnessed(name, business, witness)),
  );
  const actions = {
    hints: () => ({ language: 'en' as const }),
    captured: ({ slot }: { slot: string }) => witness.given.add(slot),
    failed: () => undefined,
    transfer: (to: string) => witness.acts(to),
    sendMessage: async () => ({ result: { status: 'sent' as const } }),
  } as unknown as BuiltinToolActions;
  const talk = new FlowTalk({
    engine: new FlowEngine(compile(business.flow)),
    clock: systemClock,
    dispatcher,
    actions,
    atMs: () => 0,
    language: () => 'en',
    persona: () => business.persona,
    farewell: () => null,
    values: {},
    choose: async (_question, answers) => (random() < 0.2 ? 'none of them' : (answers[0] ?? null)),
    onNode: () => undefined,
    wake: () => undefined,
    onSpeed: () => undefined,
  });
  const decided = (decide: () => InterludeStep): InterludeStep => {
    const began = performance.now();
    const step = decide();
    decisionsMs.push(performance.now() - began);
    return step;
  };
  const say = caller.begin(business, random);
  const history: { by: 'caller' | 'agent'; text: string }[] = [];
  let said = '';
  const speaks = (text: string) => {
    said = text;
    history.push({ by: 'agent', text });
  };
  let step = decided(() => talk.begin());
  for (let count = 0; count < MOST_STEPS; count++) {
    switch (step.kind) {
      case 'ask':
        speaks(step.say);
        if (business.terms !== null && said.includes(business.terms)) witness.heard.add(business.terms);
        step = reply(say(said));
        break;
      case 'listen':
      case 'wait':
        step = reply(say(said));
        break;
      case 'say': {
        speaks(step.say);
        const whole = random() >= caller.interrupts;
        if (whole && business.terms !== null && said.includes(business.terms))
          witness.heard.add(business.terms);
        step = decided(() => talk.spoken(whole));
        break;
      }
      case 'answer':
        step = await answer(step.terms);
        break;
      case 'work':
        step = await step.done;
        break;
      case 'leave':
      case 'done':
        count = MOST_STEPS;
    }
  }
  const { path = [] } = talk.state ?? {};
  const completed = path.some(({ node }) => node === business.goal);
  return { skipped: witness.skipped, refused, completed, decisionsMs, promptTokens, wholeTokens };

  function reply(text: string | null): InterludeStep {
    if (text !== null) history.push({ by: 'caller', text });
    return decided(() => talk.take(text === null ? { kind: 'silence' } : { kind: 'said', text }));
  }

  async function answer(terms: AnswerTerms): Promise<InterludeStep> {
    promptTokens.push(tokensOf(terms.persona, [...terms.own, ...terms.tools.map(toolOf)]));
    wholeTokens.push(tokensOf(business.persona, business.tools.map(toolOf)));
    const { text, calls: asked } = await model({ terms, business, caller, history, call, random });
    for (const { name, args } of asked) {
      const own = terms.own.find((tool) => tool.name === name);
      if (own?.act !== undefined && own.problem?.(args) === null) {
        const effect = own.act(args);
        if (effect.kind === 'step') return decided(() => effect.step());
      } else if (own !== undefined) refused++;
      else if (terms.tools.includes(name)) witness.acts(name);
      else if (terms.refusal(name) !== null) refused++;
    }
    speaks(text === '' ? 'How can I help you?' : text);
    return decided(() => talk.answered());
  }
}

const witnessed = (name: string, business: Business, witness: Witness): SessionTool => ({
  ...toolOf(name),
  run: async () => {
    witness.acts(name);
    return { result: business.results[name] ?? 'done' };
  },
});

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

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

type CallResult = Pick<Outcome, 'skipped' | 'completed'> & { readonly caller: Caller };

/** The percentage of cooperative callers' calls that came to their end. */
function completedShare(calls: readonly CallResult[]): number {
  const willing = calls.filter(({ caller }) => caller.cooperates);
  return (100 * willing.filter(({ completed }) => completed).length) / willing.length;
}

function reportResults(
  report: Report,
  calls: readonly CallResult[],
  by: string,
  goal?: { atLeast: number },
): void {
  report.figure({
    name: `required steps skipped${by}`,
    value: sum(calls.map(({ skipped }) => skipped)),
    unit: 'calls',
    goal: { atMost: 0 },
  });
  report.figure({
    name: `flows completed by cooperative callers${by}`,
    value: completedShare(calls),
    unit: '%',
    ...(goal === undefined ? {} : { goal }),
  });
}

async function measure(report: Report, rounds: number): Promise<void> {
  const random = randomOf(SEED);
  const rows: string[][] = [];
  const all: (Outcome & { caller: Caller })[] = [];
  for (const business of BUSINESSES) {
    const calls: (Outcome & { caller: Caller })[] = [];
    for (let round = 0; round < rounds; round++)
      for (const caller of CALLERS)
        calls.push({
          ...(await callOf({ business, caller, random, model: scriptedModel })),
          caller,
        });
    all.push(...calls);
    rows.push([
      business.name,
      String(calls.length),
      String(sum(calls.map(({ skipped }) => skipped))),
      String(sum(calls.map(({ refused }) => refused))),
      `${completedShare(calls).toFixed(1)} %`,
    ]);
  }
  const tokens = sum(all.flatMap(({ promptTokens }) => promptTokens));
  const whole = sum(all.flatMap(({ wholeTokens }) => wholeTokens));
  reportResults(report, all, '', { atLeast: 95 });
  report.figure({
    name: 'decisions of the engine, p95',
    value: percentile(
      all.flatMap(({ decisionsMs }) => decisionsMs),
      0.95,
    ),
    unit: 'ms',
    goal: { atMost: 5 },
  });
  report.figure({
    name: 'prompt of a turn beside one that holds all steps',
    value: (100 * tokens) / whole,
    unit: '%',
    goal: { atMost: 50 },
  });
  report.text(
    `${CALLERS.length} callers a flow, ${BUSINESSES.length} flows, ${rounds} times. The model wants a tool of another step in a fifth of its turns and an exit ` +
      'that is none in a seventh. Callers and model are scripted: how a real model behaves, and what recognition mishears, is not in it. Tokens are characters by four.',
  );
  report.table(['flow', 'calls', 'skipped', 'refused', 'completed by cooperative callers'], rows);
}

/** No call begins later than this, so that a small machine ends in minutes. */
const LOCAL_MS = 360_000;
const LOCAL_CALLERS = CALLERS.filter((_, at) => at % 8 === 0);

async function measureLocal(report: Report, quick: boolean): Promise<void> {
  const brain = await openLocalModel();
  const took: number[] = [];
  const rows: string[][] = [];
  const all: (Outcome & { caller: Caller })[] = [];
  const random = randomOf(SEED);
  const until = performance.now() + (quick ? LOCAL_MS / 6 : LOCAL_MS);
  const model = modelOf(brain, took);
  try {
    const outcomes = new Map<Business, (Outcome & { caller: Caller })[]>();
    for (const caller of LOCAL_CALLERS)
      for (const business of BUSINESSES) {
        if (performance.now() > until) continue;
        const outcome = { ...(await callOf({ business, caller, random, model })), caller };
        console.log(
          `  ${business.name}, ${caller.manner}: ${outcome.completed ? 'completed' : 'not completed'}`,
        );
        outcomes.set(business, [...(outcomes.get(business) ?? []), outcome]);
      }
    for (const [business, calls] of outcomes) {
      all.push(...calls);
      const willing = calls.filter(({ caller }) => caller.cooperates);
      rows.push([
        business.name,
        String(calls.length),
        String(sum(calls.map(({ skipped }) => skipped))),
        String(sum(calls.map(({ refused }) => refused))),
        `${willing.filter(({ completed }) => completed).length} of ${willing.length}`,
      ]);
    }
  } finally {
    await brain.close();
  }
  reportResults(report, all, ', a model on this machine');
  report.figure({ name: 'an answer of that model, median', value: median(took), unit: 'ms' });
  report.text(
    `The part \`local\`: SmolLM2 135M Instruct speaks in ${all.length} calls and ${took.length} turns, with the first caller of each manner. It is the smallest model of the manifest, ` +
      'and shows that the steps hold with a model that does not follow: the goal for completed flows is for models that are made for calls of tools, and is not set for it.',
  );
  report.table(['flow', 'calls', 'skipped', 'refused', 'completed by cooperative callers'], rows);
}

await runBench('flows', 'Flows', async (report, { quick, parts }) => {
  await measure(report, quick ? 1 : 25);
  if (parts.includes('local')) await measureLocal(report, quick);
});
