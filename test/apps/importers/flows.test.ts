import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { convertFlow, type FlowPlatform } from '../../../src/apps/importers/flows/index.ts';
import { compile, FlowEngine } from '../../../src/conversation/flows/index.ts';

const exported = (name: string): string =>
  readFileSync(join(import.meta.dirname, 'exported/flows', name), 'utf8');
const converted = (platform: FlowPlatform, name: string) => convertFlow(platform, name, exported(name));
const ways = ({ flow }: ReturnType<typeof converted>): string[] =>
  flow.edges.map(({ from, to, when }) => `${from} -> ${to}: ${JSON.stringify(when ?? 'otherwise')}`);

describe('a workflow of another platform', () => {
  it('of Retell keeps its questions, tools, rules and transfers', () => {
    const moved = converted('retell', 'retell.json');
    expect(moved.flow.nodes.map(({ id, type }) => `${id} ${type}`)).toEqual([
      'start say',
      'order ask',
      'look tool',
      'sort decide',
      'person transfer',
      'bye end',
      'look_next decide',
    ]);
    expect(moved.flow.persona).toBe('You are Nora of Vela. Be brief.');
    expect(moved.flow.nodes[0]).toMatchObject({ say: 'Hello {first_name}, how can I help?' });
    expect(moved.flow.nodes[1]).toMatchObject({
      slots: [
        { name: 'order_number', kind: 'digits', label: 'The number of the order' },
        { name: 'reason', kind: 'choice', options: ['late', 'broken'] },
      ],
    });
    expect(moved.flow.nodes[2]).toMatchObject({ tool: 'lookup_order' });
    expect(moved.flow.nodes[4]).toMatchObject({ to: '+14155550199' });
    expect(ways(moved)).toEqual([
      'start -> order: {"intent":"caller_asks_about_an_order","description":"Caller asks about an order"}',
      'start -> bye: {"intent":"caller_wants_nothing","description":"Caller wants nothing"}',
      'order -> look: "otherwise"',
      'order -> person: {"attempts":true}',
      'look -> look_next: "otherwise"',
      'look_next -> sort: {"answer":"the_order_was_found"}',
      'look_next -> person: "otherwise"',
      'look -> person: {"result":"failed"}',
      'sort -> person: {"rule":{"all":[{"value":"total","at_least":100},{"value":"reason","is":"broken"}]}}',
      'sort -> bye: "otherwise"',
    ]);
    expect(moved.flow.globals).toEqual([
      {
        to: 'bye',
        when: { intent: 'the_caller_wants_to_hang_up', description: 'The caller wants to hang up' },
      },
    ]);
    expect(moved.left).toEqual(['knowledge_base_ids', 'tools[0].type', 'tools[0].url']);
    expect(moved.flow.nodes.at(-1)).toMatchObject({
      question:
        'The tool has returned {result}. Which of these is true now?\n- the_order_was_found: The order was found',
      answers: ['the_order_was_found', 'none of these'],
    });
    expect(moved.changed).toContain('look: the model decides in look_next what follows it');
    expect(moved.problems.map(({ node, code }) => `${node}: ${code}`)).toContain('start: unknown_slot');
  });

  it('of Vapi asks for what its plan extracts', () => {
    const moved = converted('vapi', 'vapi-workflow.json');
    expect(moved.problems).toEqual([]);
    expect(moved.flow.nodes.map(({ id, type }) => `${id} ${type}`)).toEqual([
      'greet ask',
      'book tool',
      'desk transfer',
      'help say',
      'hang_up end',
      'greet_next decide',
    ]);
    expect(moved.flow.nodes[0]).toMatchObject({
      say: 'Hello, this is the practice.',
      slots: [
        { name: 'full_name', kind: 'name' },
        { name: 'day', kind: 'choice', options: ['Monday', 'Tuesday'] },
      ],
    });
    expect(moved.flow.nodes[0]).not.toHaveProperty('instruction');
    expect(moved.changed).toContain(
      'greet: the engine asks for the values in its own words; the instruction was not imported',
    );
    expect(ways(moved)).toEqual([
      'greet -> greet_next: "otherwise"',
      'greet_next -> book: {"answer":"name_and_day_are_known"}',
      'greet_next -> desk: {"answer":"caller_wants_a_person"}',
      'greet_next -> book: "otherwise"',
      'greet -> desk: {"attempts":true}',
      'book -> hang_up: "otherwise"',
      'book -> desk: {"result":"failed"}',
      'help -> greet: "otherwise"',
    ]);
    expect(moved.left).toEqual(['nodes[3].voice']);
  });

  it('of Vapi may be a squad: its assistants are steps of one agent', () => {
    const moved = converted('vapi', 'vapi-squad.json');
    expect(moved.problems).toEqual([]);
    expect(moved.flow.start).toBe('Reception');
    expect(ways(moved)[0]).toBe(
      'Reception -> Billing: {"intent":"the_caller_has_a_question_about_a_bill","description":"The caller has a question about a bill"}',
    );
    expect(moved.left).toContain('members[1].assistant.voice');
  });

  it('of ElevenLabs begins where its start node leads', () => {
    const moved = converted('elevenlabs', 'elevenlabs.json');
    expect(moved.problems).toEqual([]);
    expect(moved.flow.start).toBe('n1');
    expect(moved.flow.nodes).toHaveLength(4);
    expect(ways(moved)).toEqual([
      'n1 -> n2: {"intent":"the_damage_is_described","description":"The damage is described"}',
      'n1 -> n3: {"intent":"it_is_an_emergency","description":"It is an emergency"}',
      'n2 -> n4: "otherwise"',
      'n2 -> n3: {"result":"failed"}',
    ]);
  });

  it('of Dograh keeps its persona, and extracts by asking', () => {
    const moved = converted('dograh', 'dograh.json');
    expect(moved.problems).toEqual([]);
    expect(moved.flow.persona).toBe('You collect rents.');
    expect(moved.flow.nodes[0]).toMatchObject({ type: 'ask', slots: [{ name: 'flat_code', kind: 'text' }] });
    expect(moved.changed.some((what) => what.includes('trigger'))).toBe(true);
  });

  it('of Vapi keeps the values that its editor lists, and a last step in which the caller may go on', () => {
    const { flow, left, problems } = convertFlow(
      'vapi',
      'file.json',
      JSON.stringify({
        nodes: [
          {
            name: 'introduction',
            type: 'conversation',
            isStart: true,
            prompt: 'Greet the caller.',
            variableExtractionPlan: {
              output: [
                { enum: ['entry', 'senior'], type: 'string', title: 'level', description: 'The level.' },
                { enum: [], type: 'number', title: 'amount', description: 'How many?' },
              ],
            },
          },
          { name: 'questions', type: 'conversation', prompt: 'Answer what they ask.' },
        ],
        edges: [{ from: 'introduction', to: 'questions', condition: { type: 'ai', prompt: 'All is known' } }],
      }),
    );
    expect(flow.nodes.map(({ id, type }) => `${id} ${type}`)).toEqual([
      'introduction ask',
      'questions say',
      'goodbye end',
    ]);
    expect(flow.nodes[0]).toMatchObject({
      slots: [
        { name: 'level', kind: 'choice', options: ['entry', 'senior'], label: 'The level.' },
        { name: 'amount', kind: 'amount', label: 'How many?' },
      ],
    });
    expect(flow.edges.at(-1)).toMatchObject({
      from: 'questions',
      to: 'goodbye',
      when: { intent: 'everything_is_settled_and_the_caller_says_goodby' },
    });
    expect(left).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('of Vapi follows the handoff tools of a squad', () => {
    const assistant = (name: string, ...to: string[]) => ({
      assistant: {
        name,
        model: {
          messages: [{ role: 'system', content: `You are ${name}.` }],
          tools: [
            {
              type: 'handoff',
              destinations: to.map((assistantName) => ({
                type: 'assistant',
                assistantName,
                description: `needs the ${assistantName}`,
              })),
            },
          ],
        },
      },
    });
    const members = [assistant('Desk', 'Billing'), assistant('Billing', 'Desk')];
    const { flow } = convertFlow('vapi', 'file.json', JSON.stringify({ members }));
    expect(flow.edges.map(({ from, to, when }) => `${from} -> ${to}: ${when?.description}`)).toEqual([
      'Desk -> Billing: needs the Billing',
      'Billing -> Desk: needs the Desk',
    ]);
  });

  it('of Retell lets the model answer a branch whose conditions are in words, and waits for the caller', () => {
    const prompt = (text: string) => ({ type: 'prompt', prompt: text });
    const { flow, problems, changed, left } = convertFlow(
      'retell',
      'file.json',
      JSON.stringify({
        start_node_id: 'ask',
        nodes: [
          {
            id: 'ask',
            type: 'conversation',
            instruction: { type: 'static_text', text: 'How may we help?' },
            always_edge: { id: 'e0', destination_node_id: 'hours', transition_condition: prompt('Always') },
          },
          {
            id: 'hours',
            type: 'branch',
            edges: [
              { id: 'e1', destination_node_id: 'swap', transition_condition: prompt('It is a weekday') },
            ],
            else_edge: { id: 'e2', destination_node_id: 'bye', transition_condition: prompt('Else') },
          },
          {
            id: 'swap',
            type: 'agent_swap',
            agent_id: 'agent_1',
            instruction: { type: 'prompt', text: 'Say that you connect them.' },
            edge: { id: 'e3', transition_condition: prompt('Transfer failed') },
          },
          { id: 'bye', type: 'end', instruction: { type: 'prompt', text: 'Say goodbye.' } },
        ],
      }),
    );
    expect(problems).toEqual([]);
    expect(left).toEqual([]);
    expect(flow.nodes[0]).toMatchObject({ say: 'How may we help?', attempts: 1 });
    expect(flow.nodes[1]).toMatchObject({
      question: 'Which of these is true now?\n- it_is_a_weekday: It is a weekday',
    });
    expect(flow.edges).toEqual([
      { from: 'ask', to: 'hours', when: { attempts: true } },
      { from: 'hours', to: 'bye' },
      { from: 'hours', to: 'swap', when: { answer: 'it_is_a_weekday' } },
    ]);
    expect(changed.filter((what) => what.startsWith('nodes[2]'))).toEqual([
      'nodes[2].instruction: the model says nothing in this step: write the words in say',
      'nodes[2]: the agent agent_1 is a separate agent: replace this node with a handoff to it',
    ]);
  });

  it('of ElevenLabs keeps every edge of its start', () => {
    const { flow, problems } = convertFlow(
      'elevenlabs',
      'file.json',
      JSON.stringify({
        conversation_config: { agent: { first_message: 'Heating service, hello.' } },
        workflow: {
          nodes: {
            start_node: { type: 'start', position: { x: 0, y: 0 } },
            safety: { type: 'override_agent', additional_prompt: 'Tell them to leave the house.' },
            dispatch: { type: 'override_agent', additional_prompt: 'Agree on a day.' },
          },
          edges: {
            hazard: {
              source: 'start_node',
              target: 'safety',
              forward_condition: { type: 'llm', condition: 'The caller smells gas' },
            },
            normal: {
              source: 'start_node',
              target: 'dispatch',
              forward_condition: { type: 'unconditional' },
            },
          },
        },
      }),
    );
    expect(problems).toEqual([]);
    expect(flow.start).toBe('start_node');
    expect(flow.nodes[0]).toMatchObject({ type: 'say', say: 'Heating service, hello.' });
    expect(flow.edges.slice(0, 2)).toEqual([
      {
        from: 'start_node',
        to: 'safety',
        when: { intent: 'the_caller_smells_gas', description: 'The caller smells gas' },
      },
      { from: 'start_node', to: 'dispatch' },
    ]);
  });

  it('of Dograh leaves out the edges of what is no step, and names what it does not know', () => {
    const node = (id: string, type: string, data: object = {}) => ({
      id,
      type,
      data: { prompt: id, ...data },
    });
    const { flow, changed, problems } = convertFlow(
      'dograh',
      'file.json',
      JSON.stringify({
        nodes: [
          node('t', 'trigger'),
          node('a', 'startCall', { add_global_prompt: false }),
          node('b', 'tuner'),
          node('c', 'endCall'),
        ],
        edges: [
          { source: 't', target: 'a', data: { condition: 'begins' } },
          { source: 'a', target: 'b', data: { condition: 'known' } },
          { source: 'b', target: 'c', data: { condition: 'settled' } },
        ],
      }),
    );
    expect(problems).toEqual([]);
    expect(flow.edges.map(({ from, to }) => `${from} -> ${to}`)).toEqual(['a -> b', 'b -> c']);
    expect(changed.join('\n')).toContain('a node of type tuner has no counterpart');
    expect(changed.join('\n')).toContain('add_global_prompt is false');
  });

  it.each([
    ['vapi', 'vapi-workflow.json'],
    ['elevenlabs', 'elevenlabs.json'],
    ['dograh', 'dograh.json'],
  ] as const)('of %s runs in the engine', (platform, name) => {
    const { flow } = converted(platform, name);
    expect(new FlowEngine(compile(flow))).toBeInstanceOf(FlowEngine);
  });

  it.each([
    ['vapi', '{"name": "an assistant", "model": {}}', 'nodes and members are missing'],
    ['retell', '{"agent_id": "a"}', 'nodes are missing'],
    ['elevenlabs', '{"agent_id": "a"}', 'nodes are missing'],
    ['dograh', '{}', 'nodes are missing'],
    ['dograh', '{"nodes": {"id": "1"}}', 'nodes must be a list'],
    ['retell', '{"nodes": [{"id": 7}]}', 'nodes[0].id must be a string'],
    ['vapi', 'not JSON', 'not valid JSON'],
  ] as const)('of %s that is none is refused: %s', (platform, text, message) => {
    expect(() => convertFlow(platform, 'file.json', text)).toThrow(message);
  });

  it('gives two nodes of one name two ids', () => {
    const nodes = ['Ask!', 'Ask?', '7'].map((id) => ({ id, type: 'agentNode', data: { prompt: id } }));
    const { flow } = convertFlow('dograh', 'file.json', JSON.stringify({ nodes, edges: [] }));
    expect(flow.nodes.map(({ id }) => id)).toEqual(['Ask', 'Ask_2', 'node_7', 'goodbye']);
  });
});
