import { describe, expect, it } from 'vitest';
import { type BuiltinToolActions, builtinTools } from '../../../src/conversation/calls/builtin-tools.ts';
import { FlowTalk, type FlowTalkOptions } from '../../../src/conversation/calls/flow-talk.ts';
import {
  compile,
  type Flow,
  FlowEngine,
  type FlowEvent,
  type FlowState,
} from '../../../src/conversation/flows/index.ts';
import type { InterludeStep, SessionTool, ToolDispatcher } from '../../../src/conversation/session/index.ts';
import { REFUND } from '../flows/refund.ts';
import { type ManualBrain, settle, stage, utterance } from '../session/stage.ts';

const tool = (name: string, answer: unknown, called: string[]): SessionTool => ({
  name,
  description: name,
  parameters: { type: 'object' },
  timeoutMs: 5_000,
  filler: null,
  run: async ({ arguments: args }) => {
    called.push(`${name} ${JSON.stringify(args)}`);
    return { result: answer };
  },
});

function call(
  flow: Flow,
  overrides: Parameters<typeof stage>[0] = {},
  more: Partial<FlowTalkOptions> = {},
  tools: readonly SessionTool[] = [],
) {
  const called: string[] = [];
  const handed: string[] = [];
  const late: { stage?: ReturnType<typeof stage> } = {};
  const actions = {
    hints: () => ({ language: 'en' as const }),
    captured: () => undefined,
    failed: () => undefined,
    transfer: (to: string, summary: string) => handed.push(`${to}: ${summary}`),
    sendMessage: async () => ({ result: { status: 'sent' as const } }),
  } as unknown as BuiltinToolActions;
  const talk = new FlowTalk({
    engine: new FlowEngine(compile(flow)),
    get clock() {
      return (late.stage as ReturnType<typeof stage>).clock;
    },
    get dispatcher(): ToolDispatcher {
      return (late.stage as ReturnType<typeof stage>).dispatcher;
    },
    actions,
    atMs: () => 0,
    language: () => 'en',
    persona: () => 'the persona of the agent',
    farewell: () => null,
    values: {},
    choose: async () => null,
    onNode: () => undefined,
    onSpeed: () => undefined,
    wake: () => late.stage?.session.input.wake(),
    ...more,
  });
  const on = stage(overrides, [], { host: talk });
  late.stage = on;
  on.dispatcher.replace(
    [],
    [tool('find_order', { total: 80 }, called), tool('refund', 'done', called), ...tools],
  );
  on.session.start();
  const hears = async (): Promise<string> => {
    await settle();
    const said = on.lane.audible.at(-1);
    if (said === undefined) return '';
    on.lane.playOut(said.speech);
    await settle();
    return said.text;
  };
  const says = async (text: string): Promise<string> => {
    on.session.take({ kind: 'speech_start', atMs: 1 });
    on.session.take({ kind: 'final', ...utterance(text) });
    return await hears();
  };
  return { ...on, talk, called, handed, hears, says };
}

const waits = (): InterludeStep => ({ kind: 'wait' });

const path = ({ talk }: { talk: FlowTalk }): string[] => talk.state?.path.map(({ node }) => node) ?? [];
const exits = (brain: ManualBrain, wants: string, words?: string) =>
  brain.next(async function* () {
    if (words !== undefined) yield { kind: 'text', text: words };
    yield { kind: 'tool_call', call: { id: 'c1', name: 'next_step', arguments: JSON.stringify({ wants }) } };
  });
const calls = (brain: ManualBrain, name: string, args: object) =>
  brain.next(async function* () {
    yield { kind: 'tool_call', call: { id: 'c2', name, arguments: JSON.stringify(args) } };
  });

describe('a call with a flow', () => {
  it('calls a value in the language of the caller, also where it changes meanwhile', async () => {
    let language: 'en' | 'es' = 'es';
    const label = { en: 'your order number', es: 'su número de pedido' };
    const flow: Flow = {
      start: 'who',
      nodes: [
        {
          id: 'who',
          type: 'ask',
          slots: [
            { name: 'order', kind: 'digits', label },
            { name: 'why', kind: 'text', label: { en: 'the reason', es: 'el motivo' } },
          ],
        },
        { id: 'bye', type: 'end', say: 'Goodbye.' },
      ],
      edges: [
        { from: 'who', to: 'bye' },
        { from: 'who', to: 'bye', when: { attempts: true } },
      ],
    };
    const on = call(flow, {}, { language: () => language });
    expect(await on.hears()).toContain('su número de pedido');
    language = 'en';
    on.talk.languageChanged('en');
    expect(await on.says('well')).toContain('your order number');
    await on.says('4 7 1 1');
    language = 'es';
    on.talk.languageChanged('es');
    expect(await on.says('sí')).toContain('el motivo');
  });

  const CLOSING: Flow = {
    start: 'hello',
    nodes: [
      { id: 'hello', type: 'say', instruction: 'Greet the caller.' },
      { id: 'bye', type: 'end', instruction: 'Thank the caller by name, and say goodbye.' },
    ],
    edges: [{ from: 'hello', to: 'bye', when: { intent: 'done', phrases: ['that is all'] } }],
  };

  it('lets the model say the last words where an end has an instruction alone', async () => {
    const on = call(CLOSING, {}, { farewell: () => 'The phrase of the agent.' });
    on.brain.says('Hello.');
    await on.hears();
    on.brain.says('Thank you, Ann. Goodbye.');
    expect(await on.says('that is all')).toBe('Thank you, Ann. Goodbye.');
    expect(on.brain.requests.at(-1)?.request.persona).toContain('Now: Thank the caller by name');
    expect(on.sent).toContainEqual({ ended: 'agent_ended' });
    expect(on.lane.audible.map(({ text }) => text)).not.toContain('The phrase of the agent.');
  });

  it('ends with the agent’s own farewell where the caller speaks over the model’s', async () => {
    const on = call(CLOSING, {}, { farewell: () => 'The phrase of the agent.' });
    on.brain.says('Hello.');
    await on.hears();
    on.brain.says('Thank you, Ann. Goodbye.');
    on.session.take({ kind: 'speech_start', atMs: 1 });
    on.session.take({ kind: 'final', ...utterance('that is all') });
    await settle();
    expect(await on.says('oh and one more thing')).toBe('The phrase of the agent.');
    expect(path(on)).toEqual(['hello', 'bye']);
    expect(on.sent).toContainEqual({ ended: 'agent_ended' });
  });

  it('goes through its steps with a caller who gives what is asked', async () => {
    const on = call(REFUND);
    on.brain.says('Hello, this is Nora. What can I do?');
    expect(await on.hears()).toContain('Nora');
    expect(await on.says('I want a refund')).toContain('your order number');
    expect(await on.says('4 7 1 1')).toContain('4');
    expect(await on.says('yes')).not.toBe('');
    expect(await on.says('1 0 1 1 5')).toContain('1');
    expect(await on.says('yes')).toBe('A refund takes five days. It cannot be undone.');
    expect(await on.hears()).toBe('Order 4711 is refunded. Goodbye.');
    expect(on.called).toEqual(['find_order {"order":"4711"}', 'refund {"order":"4711","total":80}']);
    expect(path(on)).toEqual(['welcome', 'verify', 'terms', 'look', 'size', 'refund', 'done']);
    expect(on.sent).toContainEqual({ ended: 'agent_ended' });
  });

  it('tells the model the step and its exits alone, and no other tool', async () => {
    const on = call(REFUND);
    on.brain.says('Hello.');
    await on.hears();
    const [asked] = on.brain.requests;
    expect(asked?.request.persona).toBe(
      [
        'You are Nora of Vela, a shop for shoes.',
        'Now: Ask what you can do.',
        'Call next_step where the caller wants one of these:',
        '- wants_person',
        '- wants_to_stop',
        '- opening: when are you open',
        '- refund: refund',
        '- hours: opening hours',
      ].join('\n'),
    );
    expect(asked?.request.tools.map(({ name }) => name)).toEqual(['next_step']);
  });

  it('refuses a tool of a later step that the model calls, and tells it why', async () => {
    const on = call(REFUND);
    on.brain.says('Hello.');
    await on.hears();
    calls(on.brain, 'refund', { order: '1' });
    on.brain.says('I cannot do that yet.');
    expect(await on.says('Just pay me back')).toBe('I cannot do that yet.');
    expect(on.called).toEqual([]);
    expect(on.brain.requests[2]?.request.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: '{"error":"refund is not available before verify, terms was passed"}',
    });
    expect(on.talk.state?.refused).toMatchObject([{ node: 'welcome', wanted: 'refund' }]);
  });

  const BILINGUAL: Flow = {
    start: 'order',
    nodes: [
      { id: 'order', type: 'ask', slots: [{ name: 'order', kind: 'yes_no', label: 'the order' }] },
      { id: 'desk', type: 'say', say: { en: 'The desk is here.', es: 'Aquí está la mesa.' } },
      { id: 'bye', type: 'end' },
    ],
    edges: [
      { from: 'order', to: 'desk', when: { language: 'fr' } },
      { from: 'order', to: 'bye' },
      { from: 'desk', to: 'bye', when: { attempts: true } },
    ],
  };

  it('takes the edge of the language that the caller speaks, before their words count', async () => {
    const on = call(BILINGUAL);
    await on.hears();
    on.session.reconfigure({ language: 'fr' }, null);
    expect(await on.says('Oui')).toBe('The desk is here.');
    expect(on.talk.state?.path).toMatchObject([{ node: 'order', leftBy: 'language' }, { node: 'desk' }]);
  });

  it('hears the answer to its open question in the language that the caller speaks', async () => {
    const on = call(BILINGUAL);
    await on.hears();
    on.session.reconfigure({ language: 'es' }, null);
    expect(await on.says('El martes')).toContain('Perdone');
    await on.says('Claro que sí');
    expect(on.talk.state?.values.order).toBe('yes');
  });

  it('takes the exit that the model names, behind the words of the model', async () => {
    const on = call(REFUND);
    on.brain.says('Hello.');
    await on.hears();
    exits(on.brain, 'refund', 'I am sorry to hear that.');
    expect(await on.says('My shoes fell apart')).toBe('I am sorry to hear that.');
    expect(await on.hears()).toContain('your order number');
    expect(path(on)).toEqual(['welcome', 'verify']);
  });

  it('goes to a person in the middle of a question, and hands over what is known', async () => {
    const on = call(REFUND);
    on.brain.says('Hello.');
    await on.hears();
    await on.says('I want a refund');
    await on.says('I want to speak to a person');
    expect(on.handed).toEqual(['desk: Refund of ']);
    expect(on.sent).toContainEqual({ ended: 'hand_over' });
  });

  it('says a required line again where the caller breaks in', async () => {
    const on = call(REFUND);
    on.brain.says('Hello.');
    await on.hears();
    await on.says('I want a refund');
    await on.says('4 7 1 1');
    await on.says('yes');
    await on.says('1 0 1 1 5');
    on.session.take({ kind: 'final', ...utterance('yes') });
    await settle();
    const terms = on.lane.audible.at(-1);
    on.lane.begin(terms?.speech ?? -1);
    on.lane.bargeIn(200);
    expect(await on.says('yes yes I know')).toBe('A refund takes five days. It cannot be undone.');
    expect(on.called).toHaveLength(2);
  });

  it('begins behind the greeting, and where the caller breaks into it', async () => {
    const on = call(REFUND, { greeting: 'Welcome to Vela.' });
    expect(on.lane.audible.at(-1)?.text).toBe('Welcome to Vela.');
    expect(on.talk.state).toBeNull();
    on.brain.says('What can I do?');
    await on.hears();
    expect(await on.hears()).toBe('What can I do?');
    expect(path(on)).toEqual(['welcome']);

    const other = call(REFUND, { greeting: 'Welcome to Vela.' });
    other.lane.begin(other.lane.audible.at(-1)?.speech ?? -1);
    other.lane.bargeIn(300);
    other.brain.says('Never heard.');
    other.brain.says('Never heard.');
    expect(await other.says('I want a refund')).toContain('your order number');
  });

  it('begins an answer on a guess with the terms of the step', async () => {
    const on = call(REFUND);
    on.brain.says('Hello.');
    await on.hears();
    on.brain.says('We sell shoes.');
    on.session.take({ kind: 'speech_start', atMs: 1 });
    on.session.take({ kind: 'eager_end', ...utterance('What do you sell') });
    await settle();
    expect(on.brain.requests).toHaveLength(2);
    on.session.take({ kind: 'final', ...utterance('What do you sell') });
    expect(await on.hears()).toBe('We sell shoes.');
    expect(on.guesses).toEqual(['used']);
    expect(on.brain.requests[1]?.request.persona).toContain('Now: Ask what you can do.');
  });

  it('asks a silent caller whether they are still there, and hangs up in time', async () => {
    const on = call(REFUND);
    on.brain.says('Hello.');
    await on.hears();
    on.clock.advance(20_000);
    expect(await on.hears()).not.toBe('Hello.');
  });

  it('gives a node up when its time is over', async () => {
    const nodes = REFUND.nodes.map((node) => (node.id === 'welcome' ? { ...node, max_seconds: 10 } : node));
    const on = call({ ...REFUND, nodes });
    on.brain.says('Hello.');
    await on.hears();
    on.clock.advance(10_000);
    await settle();
    expect(path(on)).toEqual(['welcome', 'person']);
    expect(on.sent).toContainEqual({ ended: 'hand_over' });
  });

  it('waits as many seconds as a node says, whatever is said meanwhile', async () => {
    const on = call({
      start: 'pause',
      nodes: [
        { id: 'pause', type: 'wait', seconds: 7, say: 'Please have your card ready.' },
        { id: 'bye', type: 'end', say: 'Goodbye.' },
      ],
      edges: [{ from: 'pause', to: 'bye' }],
    });
    expect(await on.hears()).toBe('Please have your card ready.');
    on.clock.advance(4_000);
    await on.says('One moment.');
    expect(path(on)).toEqual(['pause']);
    on.clock.advance(3_000);
    expect(await on.hears()).toBe('Goodbye.');
    expect(on.brain.requests).toEqual([]);
  });

  it('gives up waiting for a person after the seconds of the node', async () => {
    const on = call(
      {
        start: 'hold',
        nodes: [
          { id: 'hold', type: 'wait', until: 'human', seconds: 30 },
          { id: 'bye', type: 'end', say: 'They are there.' },
          { id: 'sorry', type: 'end', say: 'Nobody came.' },
        ],
        edges: [
          { from: 'hold', to: 'bye' },
          { from: 'hold', to: 'sorry', when: { result: 'failed' } },
        ],
      },
      {},
      { actions: { waitFor: () => ({ begin: waits, take: waits }) } as unknown as BuiltinToolActions },
    );
    await settle();
    on.clock.advance(30_000);
    expect(await on.hears()).toBe('Nobody came.');
  });

  it('speaks as fast as the node says, and goes back to the speech rate of the voice', async () => {
    const speeds: number[] = [];
    const on = call(
      {
        start: 'terms',
        nodes: [
          { id: 'terms', type: 'say', say: 'The terms.', speed: 0.8 },
          { id: 'more', type: 'say', say: 'More terms.', speed: 0.8 },
          { id: 'bye', type: 'end', say: 'Goodbye.' },
        ],
        edges: [
          { from: 'terms', to: 'more' },
          { from: 'more', to: 'bye' },
        ],
      },
      {},
      { onSpeed: (speed) => void speeds.push(speed) },
    );
    expect(await on.hears()).toBe('The terms. More terms.');
    expect(await on.hears()).toBe('Goodbye.');
    expect(speeds).toEqual([0.8, 1]);
  });

  it('gives a node up as soon as its words are over, where its time ends within them', async () => {
    const on = call({
      start: 'question',
      nodes: [
        { id: 'question', type: 'say', say: 'Which one?', max_seconds: 5 },
        { id: 'late', type: 'end', say: 'The time is up.' },
      ],
      edges: [{ from: 'question', to: 'late', when: { attempts: true } }],
    });
    await settle();
    on.clock.advance(5_000);
    await settle();
    expect(on.lane.audible.at(-1)?.text).toBe('Which one?');
    on.lane.playOut(on.lane.audible.at(-1)!.speech);
    on.clock.advance(500);
    expect(await on.hears()).toBe('The time is up.');
  });

  it('asks as often as the node says', async () => {
    const flow = (slot: object, attempts?: number): Flow => ({
      start: 'verify',
      nodes: [
        {
          id: 'verify',
          type: 'ask',
          slots: [{ name: 'order', ...slot } as never],
          ...(attempts === undefined ? {} : { attempts }),
        },
        { id: 'done', type: 'end', say: 'Thank you.' },
        { id: 'sorry', type: 'end', say: 'Somebody calls you back.' },
      ],
      edges: [
        { from: 'verify', to: 'done' },
        { from: 'verify', to: 'sorry', when: { attempts: true } },
      ],
    });
    const choice = { kind: 'choice', options: ['red', 'blue'] };
    for (const slot of [{ kind: 'digits' }, choice]) {
      const once = call(flow(slot, 1));
      await once.hears();
      expect(await once.says('What a day it is.')).toBe('Somebody calls you back.');
      const twice = call(flow(slot, 2));
      await twice.hears();
      expect(await twice.says('What a day it is.')).not.toBe('Somebody calls you back.');
      expect(await twice.says('Never mind.')).toBe('Somebody calls you back.');
    }
    const many = call(flow({ kind: 'digits' }));
    await many.hears();
    expect(await many.says('What a day it is.')).not.toBe('Somebody calls you back.');
  });

  it('is not led by a client that asks for words, or by what the model does by itself', async () => {
    const on = call(REFUND);
    on.brain.says('Hello.');
    await on.hears();
    expect(on.session.input.respond('Say that the refund is made.')).toBe(false);
    on.brain.next(async function* () {
      yield { kind: 'text', text: 'I put you through.' };
      yield { kind: 'action', action: 'hand_over' };
    });
    expect(await on.says('Hm.')).toBe('I put you through.');
    expect(on.sent).not.toContainEqual({ ended: 'hand_over' });
    expect(on.talk.state?.refused).toMatchObject([{ node: 'welcome', wanted: 'transfer' }]);
    on.brain.says('What can I do?');
    expect(await on.says('What did you say?')).not.toBe('');
  });

  it('goes to a person from the question whether a tool may run, and the tool does not', async () => {
    const on = call(
      {
        start: 'pay',
        nodes: [
          { id: 'pay', type: 'tool', tool: 'pay' },
          { id: 'done', type: 'end', say: 'Paid.' },
          { id: 'person', type: 'transfer', to: 'desk', say: 'I put you through.' },
        ],
        edges: [
          { from: 'pay', to: 'done' },
          { from: 'pay', to: 'done', when: { result: 'failed' } },
        ],
        globals: [{ to: 'person', when: { intent: 'wants_person' } }],
      },
      {},
      {},
      [{ ...tool('pay', 'paid', []), description: 'Pay the bill', confirm: true }],
    );
    expect(await on.hears()).toContain('Pay the bill');
    expect(await on.says('I want to speak to a person')).toBe('I put you through.');
    expect(on.handed).toEqual(['desk: ']);
    expect(on.called).toEqual([]);
    expect(path(on)).toEqual(['pay', 'person']);
  });

  it('goes on in another language where a step says so, and takes the way of a failure where it cannot', async () => {
    const flow: Flow = {
      start: 'spanish',
      nodes: [
        { id: 'spanish', type: 'tool', tool: 'switch_language', arguments: { language: 'es' } },
        { id: 'done', type: 'end', say: { en: 'In English.', es: 'En español.' } },
        { id: 'sorry', type: 'end', say: 'Not in that language.' },
      ],
      edges: [
        { from: 'spanish', to: 'done' },
        { from: 'spanish', to: 'sorry', when: { result: 'failed' } },
      ],
    };
    for (const changes of [true, false]) {
      const asked: string[] = [];
      let language: 'en' | 'es' = 'en';
      const actions = {
        languages: () => ['en', 'es'],
        switchLanguage: async (to: 'es', by: string) => {
          asked.push(`${to} by ${by}`);
          if (changes) language = to;
          return changes;
        },
      } as unknown as BuiltinToolActions;
      const own = builtinTools(['switch_language'], actions);
      const on = call(flow, {}, { actions, language: () => language }, own);
      expect(await on.hears()).toBe(changes ? 'En español.' : 'Not in that language.');
      expect(asked).toEqual(['es by flow']);
    }
  });

  it('hands a call on in the manner of the node', async () => {
    const manners: unknown[] = [];
    const actions = {
      transfer: (...order: unknown[]) => void manners.push(order),
    } as unknown as BuiltinToolActions;
    const to = '+14155550111';
    const nodes = [
      { id: 'person', type: 'transfer', to, kind: 'queue', also: ['+14155550112'], agent: 'listens' },
    ];
    call({ start: 'person', nodes, edges: [] } as Flow, {}, { actions });
    call({ start: 'person', nodes: [{ id: 'person', type: 'transfer', to }], edges: [] }, {}, { actions });
    await settle();
    expect(manners).toEqual([
      [to, '', { kind: 'queue', also: ['+14155550112'], waitSeconds: 300, agent: 'listens' }],
      [to, '', { kind: 'warm', also: [], waitSeconds: 300, agent: 'leaves' }],
    ]);
  });

  it('asks for one of the options, and for the model’s choice among the answers of a decide node', async () => {
    const flow: Flow = {
      start: 'size',
      nodes: [
        {
          id: 'size',
          type: 'ask',
          slots: [{ name: 'size', kind: 'choice', options: ['small', 'large'], label: 'a size' }],
        },
        { id: 'mood', type: 'decide', question: 'Is the caller angry?', answers: ['yes', 'no'] },
        { id: 'sorry', type: 'end', say: 'Sorry about the {size} one.' },
        { id: 'bye', type: 'end', say: 'Goodbye.' },
      ],
      edges: [
        { from: 'size', to: 'mood' },
        { from: 'size', to: 'bye', when: { attempts: true } },
        { from: 'mood', to: 'sorry', when: { answer: 'yes' } },
        { from: 'mood', to: 'bye' },
      ],
    };
    const on = call(flow, {}, { choose: async () => 'yes' });
    await on.hears();
    expect(await on.says('green please')).toContain('small, large');
    await on.says('the large one');
    await settle();
    expect(on.lane.audible.at(-1)?.text).toBe('Sorry about the large one.');
  });
});

describe('a call that was cut off in a step', () => {
  const words = 'Sorry, we were cut off.';
  const stateAfter = (...events: FlowEvent[]): FlowState => {
    const engine = new FlowEngine(compile(REFUND));
    const moment = { atMs: 0, language: 'en' };
    return events.reduce(
      (state, event) => engine.step(state, event, moment).state,
      engine.begin(moment, {}).state,
    );
  };
  const captured = (slot: string, value: string): FlowEvent => ({ kind: 'captured', slot, value });
  const toVerify: FlowEvent[] = [{ kind: 'answered' }, { kind: 'heard', text: 'I want a refund' }];
  const toTerms = [...toVerify, captured('order', '4711'), captured('postcode', '10115')];

  it('is asked again for what was not given yet', async () => {
    const state = stateAfter(...toVerify, captured('order', '4711'));
    const { hears, talk } = call(REFUND, {}, { state, resumes: { words, pending: null } });
    expect(await hears()).toMatch(/^Sorry, we were cut off\. .*tell me the number/);
    expect(talk.state?.values).toMatchObject({ order: '4711' });
  });

  it('hears a line again that must be heard whole', async () => {
    const { hears, called } = call(
      REFUND,
      {},
      { state: stateAfter(...toTerms), resumes: { words, pending: null } },
    );
    expect(await hears()).toBe(`${words} A refund takes five days. It cannot be undone.`);
    await settle();
    expect(called).toContain('find_order {"order":"4711"}');
  });

  it('does not run a tool twice of which nobody knows whether it ran', async () => {
    const state = stateAfter(
      ...toTerms,
      { kind: 'spoken', whole: true },
      { kind: 'result', ok: true, value: { total: 80 } },
    );
    expect(state.node).toBe('refund');
    const { hears, called, handed } = call(REFUND, {}, { state, resumes: { words, pending: null } });
    expect(await hears()).toBe(words);
    expect(called).toEqual([]);
    expect(handed).toEqual(['desk: Refund of 4711']);
  });

  it('gets the answer that the agent owed', async () => {
    const state = stateAfter({ kind: 'answered' });
    const pending = { kind: 'question', turnId: 1, text: 'Are you there?' } as const;
    const { hears, brain } = call(REFUND, {}, { state, resumes: { words, pending } });
    brain.says('Yes, I am.');
    expect(await hears()).toBe(words);
    expect(await hears()).toBe('Yes, I am.');
  });
});

describe('a call with a flow that a supervisor has', () => {
  const person = { id: 'person', type: 'transfer', to: 'desk', summary: 'An order' } as const;

  it('is not transferred by what its tool found before it is given back', async () => {
    const flow: Flow = {
      start: 'look',
      nodes: [{ id: 'look', type: 'tool', tool: 'slow' }, person],
      edges: [
        { from: 'look', to: 'person' },
        { from: 'look', to: 'person', when: { result: 'failed' } },
      ],
    };
    let answers: () => void = () => undefined;
    const slow: SessionTool = {
      ...tool('slow', null, []),
      run: () =>
        new Promise((resolve) => {
          answers = () => resolve({ result: 'found' });
        }),
    };
    const on = call(flow, {}, {}, [slow]);
    await settle();
    on.session.mute(true);
    answers();
    await settle();
    expect([on.handed, path(on)]).toEqual([[], ['look']]);
    on.session.mute(false);
    await settle();
    expect([on.handed, path(on)]).toEqual([['desk: An order'], ['look', 'person']]);
    expect(on.sent).toContainEqual({ ended: 'hand_over' });
  });

  it('is not transferred when the time of its node is up, and hears the question again', async () => {
    const flow: Flow = {
      start: 'hello',
      nodes: [{ id: 'hello', type: 'say', say: 'Which order?', max_seconds: 5 }, person],
      edges: [
        { from: 'hello', to: 'person', when: { intent: 'person', phrases: ['a person'] } },
        { from: 'hello', to: 'person', when: { attempts: true } },
      ],
    };
    const on = call(flow);
    expect(await on.hears()).toBe('Which order?');
    on.session.mute(true);
    on.clock.advance(60_000);
    await settle();
    expect([on.handed, on.sent.filter((one) => 'ended' in (one as object))]).toEqual([[], []]);
    on.session.mute(false);
    expect(await on.hears()).toBe('Which order?');
    on.clock.advance(500);
    await settle();
    expect(on.handed).toEqual(['desk: An order']);
  });
});
