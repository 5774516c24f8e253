import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  addNode,
  conditionOf,
  connect,
  duplicateNode,
  type Flow,
  removeNode,
  renameNode,
} from '../../../src/apps/console/canvas/document.ts';
import { BOX, freePlace, nearest, placesOf, withPlaces } from '../../../src/apps/console/canvas/layout.ts';
import { pathMarks } from '../../../src/apps/console/canvas/path-marks.ts';
import { placeOf } from '../../../src/apps/console/canvas/places.ts';
import { checkFlow, FlowSchema } from '../../../src/conversation/flows/index.ts';
import { root } from '../../running-server.ts';

const FLOW: Flow = {
  start: 'hello',
  nodes: [
    { id: 'hello', type: 'say', say: 'Hello.' },
    { id: 'order', type: 'ask', slots: [{ name: 'number', kind: 'digits' }] },
    { id: 'pay', type: 'tool', tool: 'pay', requires: ['order'] },
    { id: 'bye', type: 'end' },
  ],
  edges: [
    { from: 'hello', to: 'order' },
    { from: 'order', to: 'pay' },
    { from: 'order', to: 'bye', when: { attempts: true } },
    { from: 'pay', to: 'bye' },
  ],
  globals: [{ to: 'bye', when: { intent: 'wants_to_stop' } }],
};

describe('a flow in the canvas', () => {
  it('follows a renamed node everywhere', () => {
    const { nodes, edges } = renameNode(FLOW, '', 'order', 'reference');
    expect(nodes.find(({ id }) => id === 'pay')?.requires).toEqual(['reference']);
    expect(edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
      'hello reference',
      'reference pay',
      'reference bye',
      'pay bye',
    ]);
    expect(renameNode(FLOW, '', 'hello', 'hi').start).toBe('hi');
    expect(renameNode(FLOW, '', 'bye', 'end').globals).toEqual([
      { to: 'end', when: { intent: 'wants_to_stop' } },
    ]);
  });

  it('loses with a node its edges, what requires it and the way that leads to it', () => {
    const { nodes, edges, start } = removeNode(FLOW, '', 'order');
    expect(nodes.find(({ id }) => id === 'pay')?.requires).toEqual([]);
    expect(edges).toEqual([{ from: 'pay', to: 'bye' }]);
    expect(start).toBe('hello');
    expect(removeNode(FLOW, '', 'hello').start).toBe('order');
    expect(removeNode(FLOW, '', 'bye').globals).toEqual([]);
  });

  it('names a new node by its kind, and none twice', () => {
    const { graph, id } = addNode(FLOW, 'say', { x: 0, y: 0 }, []);
    expect(id).toBe('say');
    expect(addNode(graph, 'say', { x: 0, y: 0 }, []).id).toBe('say_2');
    expect(duplicateNode(graph, 'say', { x: 0, y: 0 }).id).toBe('say_copy');
    expect(addNode(FLOW, 'ask', { x: 0, y: 0 }, ['answer']).graph.nodes.at(-1)?.slots).toEqual([
      { name: 'answer_2', kind: 'text' },
    ]);
  });

  it('connects by the condition that the node still lacks', () => {
    const conditions = (from: string, times: number) => {
      let graph: Flow = { ...FLOW, edges: FLOW.edges.filter((edge) => edge.from !== from) };
      for (let at = 0; at < times; at += 1) graph = { ...graph, ...connect(graph, from, 'bye') };
      return graph.edges.filter((edge) => edge.from === from).map(({ when }) => conditionOf(when));
    };
    expect(conditions('order', 2)).toEqual(['otherwise', 'attempts']);
    expect(conditions('pay', 2)).toEqual(['otherwise', 'result']);
    expect(conditions('hello', 2)).toEqual(['otherwise', 'intent']);
  });

  it('is drawn without two nodes in one place, and stays as it was drawn', () => {
    const places = placesOf(FLOW);
    const all = [...places.values()];
    for (const [at, one] of all.entries())
      for (const other of all.slice(at + 1))
        expect(Math.abs(one.x - other.x) >= BOX.width || Math.abs(one.y - other.y) >= BOX.height).toBe(true);
    const drawn = { ...FLOW, ...withPlaces(FLOW, places) };
    expect(placesOf({ ...drawn, edges: [] })).toEqual(places);
    expect(checkFlow(drawn).problems).toEqual(checkFlow(FLOW).problems);
    const free = freePlace(places.get('hello')!, all);
    expect(all).not.toContainEqual(free);
    expect(nearest(places, 'hello', 0, 1)).toBe('order');
    expect(nearest(places, 'hello', 0, -1)).toBeNull();
  });

  it('finds what a finding of the check names', () => {
    const flow: Flow = {
      ...FLOW,
      nodes: [...FLOW.nodes, { id: 'visit', type: 'subflow', flow: 'when' }],
      subflows: { when: { start: 'day', nodes: [{ id: 'day', type: 'end' }], edges: [] } },
    };
    expect(placeOf(flow, 'order -> bye')).toEqual({ graphName: '', selection: { kind: 'edge', at: 2 } });
    expect(placeOf(flow, 'everywhere -> bye')?.selection).toEqual({ kind: 'global', at: 0 });
    expect(placeOf(flow, 'visit.day')).toEqual({ graphName: 'when', selection: { kind: 'node', id: 'day' } });
    expect(placeOf(flow, '')).toBeNull();
  });

  it('numbers the nodes of a path and marks its edges', () => {
    const { nodes, edges } = pathMarks(FLOW, '', [
      { node: 'hello', left_by: 'otherwise' },
      { node: 'order', left_by: 'attempts' },
      { node: 'bye', left_by: 'ended' },
    ]);
    expect([...nodes].map(([id, { steps }]) => `${id} ${steps}`)).toEqual(['hello 1', 'order 2', 'bye 3']);
    expect(nodes.get('bye')?.isCurrent).toBe(true);
    expect([...edges.keys()]).toEqual([0, 2]);
  });
});

interface Named {
  readonly name: string;
}
interface Fields {
  readonly OWN_FIELDS: Readonly<Record<string, readonly Named[]>>;
  readonly MODEL_FIELDS: readonly Named[];
  readonly LIMIT_FIELDS: readonly Named[];
  readonly DRAWN_FIELDS: readonly string[];
}

it('has a field in the inspector for each property that a node may have', async () => {
  const { OWN_FIELDS, MODEL_FIELDS, LIMIT_FIELDS, DRAWN_FIELDS } = (await import(
    join(root, 'src/apps/console/canvas/fields.ts')
  )) as Fields;
  const common = [...MODEL_FIELDS, ...LIMIT_FIELDS].map(({ name }) => name);
  const { anyOf } = FlowSchema.properties.nodes.items as unknown as {
    anyOf: readonly { properties: Record<string, { const?: string }> }[];
  };
  expect(anyOf).toHaveLength(Object.keys(OWN_FIELDS).length);
  for (const { properties } of anyOf) {
    const own = OWN_FIELDS[String(properties.type?.const)] ?? [];
    expect([...DRAWN_FIELDS, ...common, ...own.map(({ name }) => name)].sort()).toEqual(
      Object.keys(properties).sort(),
    );
  }
});
