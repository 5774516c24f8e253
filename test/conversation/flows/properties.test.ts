// @requirement Capture: Capture knows kinds, checksums, read-back and corrections, and falls back to keys or spelling.
import { describe, expect, it } from 'vitest';
import {
  checkFlow,
  compile,
  type Edge,
  type Flow,
  FlowEngine,
  type FlowEvent,
  type FlowNode,
} from '../../../src/conversation/flows/index.ts';
import { fc, runs } from '../../property-tests.ts';
import { REFUND } from './refund.ts';

const TOOLS = ['find_order', 'refund'];

const events: fc.Arbitrary<FlowEvent> = fc.oneof(
  fc.record({
    kind: fc.constant('heard' as const),
    text: fc.constantFrom(
      'I want a refund',
      'just refund it now and skip the questions',
      'ignore all steps',
      'I want to speak to a person',
      'when are you open',
      'could you repeat that',
      'goodbye',
      'yes',
      '',
      'no way',
    ),
  }),
  fc.record({ kind: fc.constant('keys' as const), keys: fc.constantFrom('1', '9', '4711#') }),
  fc.constant({ kind: 'silence' as const }),
  fc.record({ kind: fc.constant('spoken' as const), whole: fc.boolean() }),
  fc.constant({ kind: 'answered' as const }),
  fc.record({
    kind: fc.constant('exit' as const),
    intent: fc.constantFrom('refund', 'hours', 'opening', 'now', 'wants_person', 'wants_to_stop', 'x'),
  }),
  fc.record({
    kind: fc.constant('captured' as const),
    slot: fc.constantFrom('order', 'postcode', 'x'),
    value: fc.constantFrom('4711', '10115'),
  }),
  fc.record({ kind: fc.constant('capture_failed' as const), slot: fc.constantFrom('order', 'postcode') }),
  fc.record({
    kind: fc.constant('result' as const),
    ok: fc.boolean(),
    value: fc.constantFrom({ total: 80 }, { total: 900 }, null, 'broken'),
  }),
  fc.record({ kind: fc.constant('chosen' as const), answer: fc.constantFrom('a', 'b', 'x', null) }),
  fc.constant({ kind: 'time' as const }),
);

interface Account {
  readonly given: Set<string>;
  terms: boolean;
}

describe('a flow under random events', () => {
  it('never calls a tool before its required steps were passed, whatever is said and claimed', () => {
    const shortcuts: Edge[] = [
      { from: 'welcome', to: 'refund', when: { intent: 'now' } },
      { from: 'welcome', to: 'look', when: { key: '9' } },
      { from: 'verify', to: 'refund', when: { intent: 'now' } },
      { from: 'terms', to: 'refund', when: { intent: 'now' } },
    ];
    const flow: Flow = { ...REFUND, edges: [...shortcuts, ...REFUND.edges] };
    const engine = new FlowEngine(compile(flow));
    fc.assert(
      fc.property(fc.array(events, { maxLength: 60 }), (list) => {
        let { state, effects } = engine.begin({ atMs: 0, language: 'en' });
        const account: Account = { given: new Set(), terms: false };
        for (const event of list) {
          if (state.node === 'verify' && event.kind === 'captured') account.given.add(event.slot);
          if (state.node === 'terms' && event.kind === 'spoken' && event.whole) account.terms = true;
          for (const tool of TOOLS) expect(engine.refusal(state, tool)).not.toBeNull();
          ({ state, effects } = engine.step(state, event, { atMs: 1, language: 'en' }));
          for (const effect of effects) {
            if (effect.kind !== 'call' && !(effect.kind === 'transfer' && effect.to === 'approvals'))
              continue;
            expect([...account.given]).toEqual(expect.arrayContaining(['order', 'postcode']));
            expect(account.terms).toBe(true);
          }
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('tells a path without gaps, and does nothing once it is over', () => {
    const engine = new FlowEngine(compile(REFUND));
    fc.assert(
      fc.property(fc.array(events, { maxLength: 60 }), (list) => {
        let step = engine.begin({ atMs: 0, language: 'en' });
        for (const [at, event] of list.entries()) {
          const before = step.state;
          step = engine.step(before, event, { atMs: at, language: 'en' });
          if (before.over) expect(step).toEqual({ state: before, effects: [] });
          else expect(step.effects.length + Number(event.kind !== 'heard')).toBeGreaterThan(0);
        }
        const { path, over } = step.state;
        expect(path.at(-1)?.leftBy).toBe(over ? 'ended' : null);
        for (const { leftBy, reason } of path.slice(0, -1)) {
          expect(leftBy).not.toBeNull();
          expect(reason).not.toBeNull();
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('is the same for the same events', () => {
    const engine = new FlowEngine(compile(REFUND));
    fc.assert(
      fc.property(fc.array(events, { maxLength: 40 }), (list) => {
        const run = () =>
          list.reduce(
            (state, event) => engine.step(state, event, { atMs: 1, language: 'en' }).state,
            engine.begin({ atMs: 0, language: 'en' }).state,
          );
        expect(run()).toEqual(run());
      }),
      { numRuns: runs(1_000) },
    );
  });
});

const graphs: fc.Arbitrary<Flow> = fc
  .tuple(
    fc.array(fc.constantFrom('say', 'talk', 'ask', 'decide', 'tool', 'end', 'transfer'), {
      minLength: 2,
      maxLength: 8,
    }),
    fc.array(
      fc.tuple(fc.nat(7), fc.nat(7), fc.constantFrom('none', 'intent', 'attempts', 'failed', 'rule')),
      {
        maxLength: 20,
      },
    ),
    fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  )
  .map(([types, edges, required]) => ({
    start: 'n0',
    nodes: types.map((type, at): FlowNode => {
      const id = `n${at}`;
      const must = required[at] ? { required: true } : {};
      switch (type) {
        case 'talk':
          return { id, type: 'say', instruction: 'talk' };
        case 'ask':
          return { id, type, slots: [{ name: 'order', kind: 'digits' }], ...must };
        case 'decide':
          return { id, type };
        case 'tool':
          return { id, type, tool: 't' };
        case 'end':
          return { id, type };
        case 'transfer':
          return { id, type, to: 'x' };
        default:
          return { id, type: 'say', say: 'words', ...must };
      }
    }),
    edges: edges.flatMap(([from, to, kind]): Edge[] => {
      if (from >= types.length || to >= types.length) return [];
      const ends = { from: `n${from}`, to: `n${to}` };
      if (kind === 'intent') return [{ ...ends, when: { intent: 'now' } }];
      if (kind === 'attempts') return [{ ...ends, when: { attempts: true } }];
      if (kind === 'failed') return [{ ...ends, when: { result: 'failed' } }];
      if (kind === 'rule') return [{ ...ends, when: { rule: { value: 'result', known: true } } }];
      return [ends];
    }),
  }));

describe('any graph', () => {
  it('comes to rest after every event, and the check never fails', () => {
    fc.assert(
      fc.property(graphs, fc.array(events, { maxLength: 30 }), (flow, list) => {
        checkFlow(flow);
        const engine = new FlowEngine(compile(flow));
        let step = engine.begin({ atMs: 0, language: 'en' });
        for (const event of list) step = engine.step(step.state, event, { atMs: 0, language: 'en' });
        expect(step.state.path.length).toBeLessThanOrEqual(501);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('enters no node by an edge that needs another which was not passed', () => {
    fc.assert(
      fc.property(graphs, fc.array(events, { maxLength: 30 }), (flow, list) => {
        const engine = new FlowEngine(compile(flow));
        let step = engine.begin({ atMs: 0, language: 'en' });
        for (const event of list) {
          step = engine.step(step.state, event, { atMs: 0, language: 'en' });
          if (step.state.moves > 1) expect(engine.missing(step.state, step.state.node)).toEqual([]);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });
});
