import { describe, expect, it } from 'vitest';
import {
  compile,
  type Flow,
  FlowEngine,
  type FlowEvent,
  type FlowStep,
} from '../../../src/conversation/flows/index.ts';
import { REFUND } from './refund.ts';

const moment = { atMs: 0, language: 'en' };

function play(
  flow: Flow,
  events: readonly FlowEvent[],
  values = {},
): { engine: FlowEngine; steps: FlowStep[] } {
  const engine = new FlowEngine(compile(flow));
  const steps = [engine.begin(moment, values)];
  for (const [at, event] of events.entries())
    steps.push(
      engine.step((steps.at(-1) as FlowStep).state, event, { atMs: (at + 1) * 1000, language: 'en' }),
    );
  return { engine, steps };
}

const last = ({ steps }: { steps: FlowStep[] }): FlowStep => steps.at(-1) as FlowStep;
const kinds = ({ effects }: FlowStep): string[] => effects.map(({ kind }) => kind);
const heard = (text: string): FlowEvent => ({ kind: 'heard', text });
const answered: FlowEvent = { kind: 'answered' };
const whole: FlowEvent = { kind: 'spoken', whole: true };
const captured = (slot: string, value: unknown): FlowEvent => ({ kind: 'captured', slot, value });
const result = (ok: boolean, value: unknown = null): FlowEvent => ({ kind: 'result', ok, value });

const toTerms = [
  answered,
  heard('I want a refund'),
  captured('order', '4711'),
  captured('postcode', '10115'),
];

describe('a flow', () => {
  it('goes from node to node by what the caller says, gives and hears, and tells its path with times and reasons', () => {
    const played = play(REFUND, [...toTerms, whole, result(true, { total: 80 }), result(true)]);
    const { state } = last(played);
    expect(state.over).toBe(true);
    expect(state.path.map(({ node, leftBy }) => [node, leftBy])).toEqual([
      ['welcome', 'intent'],
      ['verify', 'otherwise'],
      ['terms', 'otherwise'],
      ['look', 'otherwise'],
      ['size', 'otherwise'],
      ['refund', 'otherwise'],
      ['done', 'ended'],
    ]);
    expect(state.path[1]).toMatchObject({ enteredAtMs: 2000, reason: 'the node is done' });
    expect(last(played).effects.find(({ kind }) => kind === 'say')).toMatchObject({
      text: 'Order 4711 is refunded. Goodbye.',
    });
  });

  it('asks for the slots of a node one by one', () => {
    const { steps } = play(REFUND, toTerms.slice(0, 3));
    expect(steps[2]?.effects).toContainEqual({ kind: 'ask', slot: 'order' });
    expect(steps[3]?.effects).toEqual([{ kind: 'ask', slot: 'postcode' }]);
  });

  it('fills arguments with what was captured and found, numbers as numbers', () => {
    const { steps } = play(REFUND, [...toTerms, whole, result(true, { total: 80 })]);
    expect(last({ steps }).effects).toContainEqual({
      kind: 'call',
      tool: 'refund',
      arguments: { order: '4711', total: 80 },
    });
  });

  it('decides by rules before anybody is asked', () => {
    const { state } = last(play(REFUND, [...toTerms, whole, result(true, { total: 900 })]));
    expect(state.node).toBe('approver');
  });

  it('says a required line again until it was heard whole', () => {
    const events: FlowEvent[] = [...toTerms, { kind: 'spoken', whole: false }, heard('yes yes just do it')];
    const { steps } = play(REFUND, events);
    expect(last({ steps }).state.node).toBe('terms');
    expect(last({ steps }).effects).toEqual([
      { kind: 'say', text: 'A refund takes five days. It cannot be undone.', whole: true },
    ]);
  });

  it('holds the call in a required line where an edge leads on to what needs it', () => {
    const flow: Flow = {
      start: 'terms',
      nodes: [
        { id: 'terms', type: 'say', required: true, say: 'It cannot be undone. Press 1 to agree.' },
        { id: 'sure', type: 'ask', slots: [{ name: 'sure', kind: 'yes_no' }] },
        { id: 'pay', type: 'tool', tool: 'pay' },
        { id: 'bye', type: 'end', say: 'Goodbye.' },
      ],
      edges: [
        { from: 'terms', to: 'sure', when: { key: '1' } },
        { from: 'terms', to: 'bye', when: { key: '2' } },
        { from: 'sure', to: 'pay' },
        { from: 'sure', to: 'bye', when: { attempts: true } },
        { from: 'pay', to: 'bye' },
        { from: 'pay', to: 'bye', when: { result: 'failed' } },
      ],
    };
    const key = (keys: string): FlowEvent => ({ kind: 'keys', keys });
    const broken: FlowEvent = { kind: 'spoken', whole: false };
    const early = last(play(flow, [broken, key('1')]));
    expect(early.state.node).toBe('terms');
    expect(early.state.refused).toMatchObject([{ wanted: 'sure', reason: 'terms was not passed' }]);
    expect(early.effects).toMatchObject([{ kind: 'say', whole: true }]);
    expect(last(play(flow, [broken, key('2')])).state.node).toBe('bye');
    expect(last(play(flow, [broken, key('1'), whole, key('1')])).state.node).toBe('sure');
  });

  it('refuses a tool of a later step, and names what is missing', () => {
    const { engine, steps } = play(REFUND, [answered]);
    expect(engine.refusal(last({ steps }).state, 'refund')).toBe(
      'refund is not available before verify, terms was passed',
    );
    expect(engine.refusal(last({ steps }).state, 'anything')).toBe(
      'anything is not available in the step welcome',
    );
  });

  it('refuses an exit that the node has not, whatever the model says', () => {
    const step = last(play(REFUND, [answered, { kind: 'exit', intent: 'refund_now' }]));
    expect(step.state.node).toBe('welcome');
    expect(step.effects).toEqual([{ kind: 'refuse', reason: 'refund_now is not an exit of welcome' }]);
    expect(step.state.refused).toHaveLength(1);
  });

  it('takes an exit that the model names among those of the node and of the whole flow', () => {
    const played = play(REFUND, [answered, { kind: 'exit', intent: 'refund' }]);
    expect(last(played).state.node).toBe('verify');
    expect(played.engine.exits((played.steps[0] as FlowStep).state).map(({ name }) => name)).toEqual([
      'wants_person',
      'wants_to_stop',
      'opening',
      'refund',
      'hours',
    ]);
  });

  it('does not enter a node by an edge whose required steps were left out, and says so', () => {
    const flow: Flow = {
      ...REFUND,
      edges: [{ from: 'welcome', to: 'refund', when: { intent: 'now' } }, ...REFUND.edges],
    };
    const { state } = last(play(flow, [answered, { kind: 'exit', intent: 'now' }]));
    expect(state.node).toBe('welcome');
    expect(state.refused[0]).toMatchObject({ node: 'welcome', wanted: 'now' });
  });

  it('leaves from everywhere by a global edge, and comes back to where it was', () => {
    const events = [...toTerms.slice(0, 3), heard('when are you open'), answered];
    const { steps } = play(REFUND, events);
    expect(steps[4]?.state.node).toBe('hours');
    expect(last({ steps }).state.node).toBe('verify');
    expect(last({ steps }).effects).toContainEqual({ kind: 'ask', slot: 'postcode' });
    expect(last({ steps }).state.filled).toEqual(['order']);
  });

  it('says the last words again where the caller asks for it', () => {
    const step = last(play(REFUND, [answered, heard('Could you repeat that?')]));
    expect(kinds(step)).toEqual(['repeat']);
    expect(step.state.node).toBe('welcome');
  });

  it('does not take a negated phrase for an intent', () => {
    expect(last(play(REFUND, [answered, heard("I don't want a refund")])).state.node).toBe('welcome');
  });

  it('gives up a node when its attempts are used up', () => {
    const step = last(play(REFUND, [answered, heard('hm'), answered, heard('well'), answered, heard('so')]));
    expect(step.state.node).toBe('person');
    expect(step.state.path[0]).toMatchObject({ leftBy: 'attempts', reason: 'the attempts are used up' });
  });

  it('is not moved by the caller while a tool is at work', () => {
    const step = last(play(REFUND, [...toTerms, whole, heard('I want to speak to a person')]));
    expect(step.state.node).toBe('look');
    expect(kinds(step)).toEqual(['listen']);
  });

  it('asks the model for one of the answers alone, and goes on where it names another', () => {
    const flow: Flow = {
      start: 'ask',
      nodes: [
        { id: 'ask', type: 'decide', question: 'Is it urgent?', answers: ['yes', 'no'] },
        { id: 'now', type: 'end' },
        { id: 'later', type: 'end' },
      ],
      edges: [
        { from: 'ask', to: 'now', when: { answer: 'yes' } },
        { from: 'ask', to: 'later' },
      ],
    };
    expect(play(flow, []).steps[0]?.effects).toContainEqual({
      kind: 'choose',
      question: 'Is it urgent?',
      answers: ['yes', 'no'],
    });
    expect(last(play(flow, [{ kind: 'chosen', answer: 'yes' }])).state.node).toBe('now');
    expect(last(play(flow, [{ kind: 'chosen', answer: 'perhaps' }])).state.node).toBe('later');
  });

  it('has passed a required subflow when it has come to its end, and not before', () => {
    const flow: Flow = {
      start: 'identify',
      nodes: [
        { id: 'identify', type: 'subflow', flow: 'who', required: true },
        { id: 'pay', type: 'tool', tool: 'pay' },
        { id: 'person', type: 'transfer', to: 'desk', requires: ['identify'] },
        { id: 'bye', type: 'end' },
      ],
      edges: [
        { from: 'identify', to: 'pay' },
        { from: 'pay', to: 'bye' },
        { from: 'pay', to: 'bye', when: { result: 'failed' } },
      ],
      globals: [{ to: 'person', when: { intent: 'wants_person' } }],
      subflows: {
        who: {
          start: 'find',
          nodes: [
            { id: 'find', type: 'tool', tool: 'find' },
            { id: 'name', type: 'ask', slots: [{ name: 'name', kind: 'name' }] },
            { id: 'done', type: 'end' },
          ],
          edges: [
            { from: 'find', to: 'name' },
            { from: 'find', to: 'name', when: { result: 'failed' } },
            { from: 'name', to: 'done' },
            { from: 'name', to: 'done', when: { attempts: true } },
          ],
        },
      },
    };
    const within = last(play(flow, [result(true), heard('I want to speak to a person')]));
    expect(within.state.node).toBe('identify.name');
    expect(within.state.refused).toMatchObject([{ wanted: 'person', reason: 'identify was not passed' }]);
    const behind = last(play(flow, [result(true), captured('name', 'Ana')]));
    expect(behind.state.node).toBe('pay');
    expect(behind.state.passed).toContain('identify');
  });

  it('runs a subflow in its place, and goes on behind it', () => {
    const flow: Flow = {
      start: 'identify',
      nodes: [
        { id: 'identify', type: 'subflow', flow: 'who' },
        { id: 'bye', type: 'end', say: 'Thank you, {name}.' },
      ],
      edges: [{ from: 'identify', to: 'bye' }],
      subflows: {
        who: {
          start: 'name',
          nodes: [
            { id: 'name', type: 'ask', slots: [{ name: 'name', kind: 'name' }] },
            { id: 'out', type: 'end' },
          ],
          edges: [
            { from: 'name', to: 'out' },
            { from: 'name', to: 'out', when: { attempts: true } },
          ],
        },
      },
    };
    const step = last(play(flow, [captured('name', 'Ada')]));
    expect(step.state.path.map(({ node }) => node)).toEqual([
      'identify',
      'identify.name',
      'identify.out',
      'identify.$end',
      'bye',
    ]);
    expect(step.effects).toContainEqual({ kind: 'say', text: 'Thank you, Ada.', whole: false });
  });

  it('leaves by the edge of a language once the caller speaks it', () => {
    const flow: Flow = {
      start: 'hello',
      nodes: [
        { id: 'hello', type: 'say', say: 'Hello.' },
        { id: 'hola', type: 'end', say: 'Hola.' },
      ],
      edges: [{ from: 'hello', to: 'hola', when: { language: 'es' } }],
    };
    expect(last(play(flow, [{ kind: 'language', language: 'fr' }])).state.node).toBe('hello');
    const step = last(play(flow, [{ kind: 'language', language: 'es' }]));
    expect(step.state.path[0]).toMatchObject({ leftBy: 'language', reason: 'the caller speaks es' });
  });

  it('speaks the words of the call’s language', () => {
    const flow: Flow = {
      start: 'bye',
      nodes: [{ id: 'bye', type: 'end', say: { en: 'Goodbye.', es: 'Adiós.' } }],
      edges: [],
    };
    const engine = new FlowEngine(compile(flow));
    const { effects } = engine.begin({ atMs: 0, language: 'es' });
    expect(effects).toContainEqual({ kind: 'say', text: 'Adiós.', whole: false });
  });

  it('counts the visits of a node whatever it is called', () => {
    const flow: Flow = {
      start: 'constructor',
      nodes: [
        { id: 'constructor', type: 'say', say: 'Menu.', max_visits: 2 },
        { id: 'info', type: 'say', say: 'Info.' },
        { id: 'bye', type: 'end' },
      ],
      edges: [
        { from: 'constructor', to: 'info', when: { key: '1' } },
        { from: 'constructor', to: 'bye', when: { key: '9' } },
        { from: 'info', to: 'constructor' },
      ],
    };
    const key: FlowEvent = { kind: 'keys', keys: '1' };
    const { state } = last(play(flow, [key, key]));
    expect(state.visits.constructor).toBe(2);
    expect(state).toMatchObject({ over: true, node: 'info' });
    expect(state.path.at(-1)).toMatchObject({ leftBy: 'ended' });
  });

  it('goes back by $back from a node that an edge of its own led to', () => {
    const played = play(REFUND, [answered, heard('opening hours'), answered]);
    expect(last(played).state.node).toBe('welcome');
  });

  it('asks anew in a required step for what was taken less strictly before', () => {
    const ask = (id: string, confirm: 'never' | 'always', required: boolean): Flow['nodes'][number] => ({
      id,
      type: 'ask',
      required,
      slots: [{ name: 'order', kind: 'digits', confirm }],
    });
    const flow = (first: 'never' | 'always'): Flow => ({
      start: 'first',
      nodes: [ask('first', first, false), ask('second', 'always', true), { id: 'bye', type: 'end' }],
      edges: [
        { from: 'first', to: 'second' },
        { from: 'first', to: 'bye', when: { attempts: true } },
        { from: 'second', to: 'bye' },
        { from: 'second', to: 'bye', when: { attempts: true } },
      ],
    });
    const asked = last(play(flow('never'), [captured('order', '4711')]));
    expect(asked.state).toMatchObject({ node: 'second', passed: ['first'], over: false });
    expect(asked.effects.at(-1)).toEqual({ kind: 'ask', slot: 'order' });
    expect(last(play(flow('always'), [captured('order', '4711')])).state.over).toBe(true);
  });

  it('looks through thousands of phrases for little more than one', () => {
    const filler = 'please tell me whether you can do that for me today '.repeat(20);
    const edges = Array.from({ length: 90 }, (_, edge) => ({
      from: 'hello',
      to: 'bye',
      when: {
        intent: `wish_${edge}`,
        phrases: Array.from({ length: 50 }, (_unused, at) => `wish number ${edge} of ${at}`),
      },
    }));
    const flow: Flow = {
      start: 'hello',
      nodes: [
        { id: 'hello', type: 'say', say: 'Hello.' },
        { id: 'bye', type: 'end' },
      ],
      edges,
    };
    const before = process.cpuUsage();
    const { state } = last(play(flow, [...Array(20).fill(heard(filler)), heard('wish number 77 of 3')]));
    expect(state.over).toBe(true);
    // Comparing each word with each phrase took 7 s for one utterance.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2_000);
  });

  it('reads the passed nodes once for all exits of a node', () => {
    const ids = (name: string, most: number) => Array.from({ length: most }, (_, at) => `${name}_${at}`);
    const terms = ids('terms', 100);
    const wishes = ids('wish', 100);
    const flow: Flow = {
      start: terms[0] as string,
      nodes: [
        ...terms.map((id) => ({ id, type: 'say' as const, required: true, say: 'It cannot be undone.' })),
        { id: 'open', type: 'say', say: 'What can I do?' },
        { id: 'pay', type: 'tool', tool: 'pay' },
        { id: 'bye', type: 'end' },
      ],
      edges: [
        ...terms.map((from, at) => ({ from, to: terms[at + 1] ?? 'open' })),
        ...wishes.map((intent) => ({ from: 'open', to: 'pay', when: { intent, description: intent } })),
        { from: 'pay', to: 'bye' },
      ],
    };
    const engine = new FlowEngine(compile(flow));
    let reads = 0;
    const passed = new Proxy(terms, {
      get: (target, key) => {
        reads += 1;
        return Reflect.get(target, key);
      },
    });
    const { state } = engine.begin(moment);
    expect(engine.exits({ ...state, node: 'open', passed }).map(({ name }) => name)).toEqual(wishes);
    // Comparing each needed node with each passed one, for each exit, took a million reads.
    expect(reads).toBeLessThan(10 * terms.length);
    const some = { ...state, node: 'open', passed: terms.slice(1) };
    expect(engine.missing(some, 'pay')).toEqual(['terms_0']);
    expect(engine.exits(some)).toEqual([]);
  });
});
