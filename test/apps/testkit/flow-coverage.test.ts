import { expect, it } from 'vitest';
import { coverageOf } from '../../../src/apps/testkit/index.ts';

const FLOW = {
  nodes: ['hello', 'who', 'pay', 'bye', 'person'].map((id) => ({ id })),
  edges: [
    { from: 'hello', to: 'who' },
    { from: 'who', to: 'pay' },
    { from: 'who', to: 'person' },
    { from: 'pay', to: 'bye' },
    { from: 'pay', to: '$back' },
  ],
};
const path = (...nodes: string[]) => nodes.map((node) => ({ node }));

it('counts the edges that calls have taken together, and names nodes that none has reached', () => {
  const found = coverageOf(FLOW, [path('hello', 'who', 'pay', 'bye'), path('hello', 'who')]);
  expect(found).toEqual({
    edges: { taken: 3, of: 4 },
    edgesLeft: ['who -> person'],
    nodesLeft: ['person'],
  });
});

it('counts edges and nodes of subflows for each node that holds one, and edges from everywhere', () => {
  const flow = {
    nodes: [
      { id: 'hello' },
      { id: 'who', type: 'subflow', flow: 'identify' },
      { id: 'bye' },
      { id: 'person' },
    ],
    edges: [
      { from: 'hello', to: 'who' },
      { from: 'who', to: 'bye' },
    ],
    globals: [
      { to: 'person', when: { intent: 'wants_person' } },
      { to: '$repeat', when: { intent: 'wants_repeat' } },
    ],
    subflows: {
      identify: {
        nodes: [{ id: 'name' }, { id: 'again' }, { id: 'done', type: 'end' }],
        edges: [
          { from: 'name', to: 'done' },
          { from: 'name', to: 'again', when: { attempts: true } },
          { from: 'again', to: 'done' },
        ],
      },
    },
  };
  const call = path('hello', 'who', 'who.name', 'who.done', 'who.$end', 'bye');
  const asks = [{ node: 'hello', left_by: 'global' }, { node: 'person' }];
  expect(coverageOf(flow, [call])).toEqual({
    edges: { taken: 3, of: 6 },
    edgesLeft: ['who.name -> who.again', 'who.again -> who.done', 'everywhere -> person'],
    nodesLeft: ['person', 'who.again'],
  });
  expect(coverageOf(flow, [call, asks]).edgesLeft).not.toContain('everywhere -> person');
});

it('tells two edges between the same nodes apart by their conditions', () => {
  const flow = {
    nodes: [{ id: 'who' }, { id: 'bye' }],
    edges: [
      { from: 'who', to: 'bye', when: { slot: 'name' } },
      { from: 'who', to: 'bye', when: { attempts: true } },
    ],
  };
  const call = [
    { node: 'who', left_by: 'attempts' },
    { node: 'bye', left_by: 'ended' },
  ];
  expect(coverageOf(flow, [call]).edgesLeft).toEqual(['who -> bye (slot)']);
});

it('takes what lies within a subflow for the node that holds it', () => {
  const { edgesLeft } = coverageOf(FLOW, [path('hello', 'who', 'who.name', 'who.$end', 'pay', 'bye')]);
  expect(edgesLeft).toEqual(['who -> person']);
});
