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

it('takes what lies within a subflow for the node that holds it', () => {
  const { edgesLeft } = coverageOf(FLOW, [path('hello', 'who', 'who.name', 'who.$end', 'pay', 'bye')]);
  expect(edgesLeft).toEqual(['who -> person']);
});
