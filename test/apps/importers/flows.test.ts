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
      'look -> person: "otherwise"',
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
    expect(moved.changed).toContain(
      'look: the edge to sort (The order was found) was not imported: the result of a tool decides what follows',
    );
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
    ]);
    expect(moved.flow.nodes[0]).toMatchObject({
      say: 'Hello, this is the practice.',
      instruction: 'Ask for the name and the wished day.',
      slots: [
        { name: 'full_name', kind: 'name' },
        { name: 'day', kind: 'choice', options: ['Monday', 'Tuesday'] },
      ],
    });
    expect(ways(moved)).toEqual([
      'greet -> book: "otherwise"',
      'greet -> desk: {"intent":"caller_wants_a_person","description":"caller wants a person"}',
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
    expect(flow.nodes.map(({ id }) => id)).toEqual(['Ask', 'Ask_2', 'node_7']);
  });
});
