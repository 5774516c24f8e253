import { describe, expect, it } from 'vitest';
import { checkFlow, type Flow, NOTHING_KNOWN } from '../../../src/conversation/flows/index.ts';
import { REFUND } from './refund.ts';

const codes = (document: unknown, surroundings = NOTHING_KNOWN): string[] =>
  checkFlow(document, surroundings).problems.map(({ node, code }) => `${node}: ${code}`);

const END = { id: 'bye', type: 'end' } as const;

const flowOf = (nodes: Flow['nodes'], edges: Flow['edges'], more: Partial<Flow> = {}): Flow => ({
  start: 'hello',
  nodes: [{ id: 'hello', type: 'say', say: 'Hello.' }, ...nodes],
  edges,
  ...more,
});

describe('the check of a flow', () => {
  it('finds nothing wrong with a whole flow', () => {
    expect(checkFlow(REFUND).problems).toEqual([]);
  });

  it.each([
    ['no object', 'no flow', ': invalid'],
    ['a node of no type', { start: 'a', nodes: [{ id: 'a', type: 'sing' }], edges: [] }, 'a: invalid'],
    [
      'a wait without an end',
      { start: 'a', nodes: [{ id: 'a', type: 'wait' }, END], edges: [{ from: 'a', to: 'bye' }] },
      'a: invalid',
    ],
    [
      'a wait for somebody that says nothing of their absence',
      {
        start: 'a',
        nodes: [{ id: 'a', type: 'wait', until: 'human', seconds: 60 }, END],
        edges: [{ from: 'a', to: 'bye' }],
      },
      'a: no_failure_exit',
    ],
    [
      'numbers of a queue that is none',
      { start: 'a', nodes: [{ id: 'a', type: 'transfer', to: 'desk', also: ['+14155550112'] }], edges: [] },
      'a: invalid',
    ],
    [
      'an agent who stays in a cold transfer',
      {
        start: 'a',
        nodes: [{ id: 'a', type: 'transfer', to: 'desk', kind: 'cold', agent: 'talks' }],
        edges: [],
      },
      'a: invalid',
    ],
    [
      'a field that a node has not',
      { start: 'a', nodes: [{ id: 'a', type: 'end', colour: 'red' }], edges: [] },
      'a: invalid',
    ],
    [
      'an edge with a field that it has not',
      { start: 'a', nodes: [{ id: 'a', type: 'end' }], edges: [{ from: 'a', to: 'a', if: true }] },
      'a -> a: invalid',
    ],
    [
      'a field that a flow has not',
      { start: 'a', nodes: [{ id: 'a', type: 'end' }], edges: [], x: 1 },
      ': invalid',
    ],
    ['two nodes of one id', flowOf([END, END], [{ from: 'hello', to: 'bye' }]), 'bye: duplicate_node'],
    [
      'two edges of a node for one intent',
      flowOf(
        [END],
        [
          { from: 'hello', to: 'bye', when: { intent: 'goes', phrases: ['goodbye'] } },
          { from: 'hello', to: 'bye', when: { intent: 'goes' } },
          { from: 'hello', to: 'bye', when: { intent: 'stays' } },
        ],
      ),
      'hello: duplicate_intent',
    ],
    ['a start that is no node', { ...flowOf([], []), start: 'there' }, 'there: unknown_node'],
    ['an edge to nowhere', flowOf([], [{ from: 'hello', to: 'there' }]), 'hello -> there: unknown_node'],
    [
      'a node that nothing leads to',
      flowOf([END, { id: 'alone', type: 'end' }], [{ from: 'hello', to: 'bye' }]),
      'alone: unreachable',
    ],
    ['a node that nothing leaves', flowOf([], []), 'hello: dead_end'],
    [
      'a loop without a way out',
      flowOf(
        [{ id: 'again', type: 'say', say: 'Again.' }],
        [
          { from: 'hello', to: 'again' },
          { from: 'again', to: 'hello' },
        ],
      ),
      'again: endless_loop',
    ],
    [
      'a loop that waits for nobody, though a way leads out',
      flowOf(
        [{ id: 'try', type: 'tool', tool: 'x' }, END],
        [
          { from: 'hello', to: 'try' },
          { from: 'try', to: 'bye' },
          { from: 'try', to: 'hello', when: { result: 'failed' } },
        ],
      ),
      'try: endless_loop',
    ],
    [
      'a question without a way out for who does not answer',
      flowOf(
        [{ id: 'ask', type: 'ask', slots: [{ name: 'n', kind: 'digits' }] }, END],
        [
          { from: 'hello', to: 'ask' },
          { from: 'ask', to: 'bye' },
        ],
      ),
      'ask: no_failure_exit',
    ],
    [
      'a tool whose failure leads nowhere',
      flowOf(
        [{ id: 'do', type: 'tool', tool: 'x' }, END],
        [
          { from: 'hello', to: 'do' },
          { from: 'do', to: 'bye' },
        ],
      ),
      'do: no_failure_exit',
    ],
    [
      'rules of which none may be true',
      flowOf(
        [{ id: 'which', type: 'decide' }, END],
        [
          { from: 'hello', to: 'which' },
          { from: 'which', to: 'bye', when: { rule: { value: 'result', is: 1 } } },
        ],
      ),
      'which: no_otherwise',
    ],
    [
      'a slot that no node asks for',
      flowOf([END], [{ from: 'hello', to: 'bye', when: { slot: 'age' } }]),
      'hello -> bye: unknown_slot',
    ],
    [
      'words with a value that nothing sets',
      { ...flowOf([{ id: 'bye', type: 'end', say: 'Bye, {name}.' }], [{ from: 'hello', to: 'bye' }]) },
      'bye: unknown_slot',
    ],
    [
      'a condition of another type of node',
      flowOf([END], [{ from: 'hello', to: 'bye', when: { result: 'ok' } }]),
      'hello -> bye: bad_condition',
    ],
    [
      'two conditions at once',
      flowOf(
        [END],
        [
          { from: 'hello', to: 'bye', when: { key: '1', silence: 2 } },
          { from: 'hello', to: 'bye' },
        ],
      ),
      'hello -> bye: bad_condition',
    ],
    [
      'an answer that the node has not',
      flowOf(
        [{ id: 'which', type: 'decide', question: '?', answers: ['a', 'b'] }, END],
        [
          { from: 'hello', to: 'which' },
          { from: 'which', to: 'bye', when: { answer: 'c' } },
          { from: 'which', to: 'bye' },
        ],
      ),
      'which -> bye: unknown_answer',
    ],
    [
      'a line that has no words',
      { start: 'a', nodes: [{ id: 'a', type: 'say' }, END], edges: [{ from: 'a', to: 'bye' }] },
      'a: nothing_to_say',
    ],
    [
      'a subflow that is not there',
      flowOf(
        [{ id: 'sub', type: 'subflow', flow: 'x' }, END],
        [
          { from: 'hello', to: 'sub' },
          { from: 'sub', to: 'bye' },
        ],
      ),
      'sub: unknown_subflow',
    ],
  ])('names the node of %s', (_what, document, problem) => {
    expect(codes(document)).toContain(problem);
  });

  it('refuses a way to a tool that leaves a required step out', () => {
    const flow: Flow = {
      ...REFUND,
      edges: [...REFUND.edges, { from: 'welcome', to: 'look', when: { key: '9' } }],
    };
    expect(codes(flow)).toContain('look: skips_required');
    expect(codes(flow)).toContain('refund: skips_required');
  });

  it('refuses a global edge past a required step, unless the node says what it needs', () => {
    const nodes = REFUND.nodes.map((node) =>
      node.id === 'person' ? { ...node, requires: ['verify'] } : node,
    );
    expect(codes({ ...REFUND, nodes })).toContain('person: skips_required');
  });

  it('knows the tools and agents of the account where it is told them', () => {
    const surroundings = { tools: new Set(['find_order']), agents: new Set<string>() };
    const flow = flowOf(
      [{ id: 'other', type: 'handoff', agent_id: 'agt_00000000000000000000' }],
      [{ from: 'hello', to: 'other' }],
    );
    expect(codes(REFUND, surroundings)).toEqual(['refund: unknown_tool']);
    expect(codes(flow, surroundings)).toEqual(['other: unknown_agent']);
  });

  it('knows the lookups of the agent, and the kinds that can have one', () => {
    const asks = (slot: object) =>
      flowOf(
        [
          END,
          {
            id: 'who',
            type: 'ask',
            slots: [{ name: 'who', kind: 'name', lookup: 'customers', ...slot }],
          } as never,
        ],
        [{ from: 'hello', to: 'who' }, { from: 'who', to: 'bye' } as never],
      );
    const surroundings = { tools: null, agents: null, lookups: new Set(['customers']) };
    const details = (slot: object) =>
      checkFlow(asks(slot), surroundings)
        .problems.map(({ detail }) => detail)
        .filter((detail) => detail.includes('lookup'));
    expect(details({})).toEqual([]);
    expect(details({ lookup: 'streets' })).toEqual([
      'the slot who names the lookup streets, which the agent does not have',
    ]);
    expect(details({ kind: 'date' })).toEqual([
      'the slot who is of kind date; only name, code, email, digits, phone can have a lookup',
    ]);
  });

  it('refuses a subflow that no node leads into', () => {
    const inner = { start: 'in', nodes: [END, { id: 'in', type: 'say' as const, say: 'Hi.' }], edges: [] };
    const flow = flowOf([END], [{ from: 'hello', to: 'bye' }]);
    expect(codes({ ...flow, subflows: { lonely: inner } })).toEqual(['lonely: unreachable']);
  });

  it('refuses a subflow that holds itself', () => {
    const inner = {
      start: 'in',
      nodes: [{ id: 'in', type: 'subflow' as const, flow: 'one' }, END],
      edges: [{ from: 'in', to: 'bye' }],
    };
    const flow = flowOf(
      [{ id: 'sub', type: 'subflow', flow: 'one' }, END],
      [
        { from: 'hello', to: 'sub' },
        { from: 'sub', to: 'bye' },
      ],
    );
    expect(codes({ ...flow, subflows: { one: inner } })).toEqual(['sub.in: unknown_subflow']);
  });

  it('refuses words of no language, blank words and ends of subflows that speak', () => {
    const say = (words: unknown) => ({
      ...flowOf([END], [{ from: 'hello', to: 'bye' }]),
      nodes: [{ id: 'hello', type: 'say', say: words }, END],
    });
    for (const words of [{ english: 5 }, { 'en-US': 'Hello.' }, {}, '  ', { en: ' ' }])
      expect(codes(say(words)), JSON.stringify(words)).toEqual(['hello: invalid']);
    expect(codes(say({ en: 'Hello.', es: 'Hola.' }))).toEqual([]);
    const slot = { name: 'order', kind: 'digits', prompt: { english: 5 } };
    const ask = { id: 'ask', type: 'ask', slots: [slot] };
    expect(codes({ start: 'ask', nodes: [ask, END], edges: [{ from: 'ask', to: 'bye' }] })).toEqual([
      'ask: invalid',
    ]);
    const subflows = {
      inner: { start: 'over', nodes: [{ id: 'over', type: 'end', say: 'Lost.' }], edges: [] },
    };
    const into = flowOf(
      [{ id: 'sub', type: 'subflow', flow: 'inner' }, END],
      [
        { from: 'hello', to: 'sub' },
        { from: 'sub', to: 'bye' },
      ],
      { subflows: subflows as never },
    );
    expect(codes(into)).toEqual(['over: invalid']);
  });

  it('refuses a start whose only way out leads back', () => {
    const flow = {
      start: 'hello',
      nodes: [{ id: 'hello', type: 'say', say: 'Hello.' }],
      edges: [{ from: 'hello', to: '$back' }],
    };
    expect(codes(flow)).toEqual(['hello: endless_loop']);
  });

  it('names values that nothing sets in questions and handoffs', () => {
    const nodes = [
      { id: 'pick', type: 'decide', question: 'Is {nope} large?', answers: ['yes', 'no'] },
      { id: 'other', type: 'handoff', agent_id: 'agt_00000000000000000001', slots: ['nobody'] },
    ] as never;
    const flow = flowOf(nodes, [
      { from: 'hello', to: 'pick' },
      { from: 'pick', to: 'other' },
    ]);
    expect(codes(flow)).toEqual(['pick: unknown_slot', 'other: unknown_slot']);
  });

  it('checks a large flow of subflows in time that grows with its size', () => {
    const inner = {
      start: 'n0',
      nodes: [
        ...Array.from({ length: 23 }, (_, at) => ({ id: `n${at}`, type: 'decide' })),
        { id: 'out', type: 'end' },
      ],
      edges: Array.from({ length: 23 }, (_, at) => [
        ...Array.from({ length: 8 }, (_unused, to) => ({
          from: `n${at}`,
          to: `n${(at + to + 1) % 23}`,
          when: { rule: { value: 'caller', is: 'x' } },
        })),
        { from: `n${at}`, to: 'out' },
      ]).flat(),
    };
    const uses = 18;
    const flow = {
      start: 's0',
      nodes: [
        ...Array.from({ length: uses }, (_, at) => ({ id: `s${at}`, type: 'subflow', flow: 'inner' })),
        END,
      ],
      edges: Array.from({ length: uses }, (_, at) => ({
        from: `s${at}`,
        to: at + 1 < uses ? `s${at + 1}` : 'bye',
      })),
      subflows: { inner },
    };
    const before = process.cpuUsage();
    const { problems } = checkFlow(flow);
    const { user } = process.cpuUsage(before);
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['endless_loop']));
    // It took 8 s when every node searched the whole graph.
    expect(user / 1000).toBeLessThan(1_000);
  });
});
