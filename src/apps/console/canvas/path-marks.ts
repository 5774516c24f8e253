import { conditionOf, type Flow, graphOf, nodeOf } from './document.ts';
import type { EdgeMark, Marks } from './marks.ts';
import { placeOf } from './places.ts';

export interface PathStep {
  readonly node: string;
  readonly left_by: string | null;
}

/** Returns for a node of a subflow, in the flow itself, the node that goes through the subflow. */
export function nodeIn(flow: Flow, graphName: string, path: string): string | null {
  if (graphName === '') {
    const root = path.split('.')[0] ?? path;
    return nodeOf(flow, root) === undefined ? null : root;
  }
  const place = placeOf(flow, path);
  return place?.graphName === graphName && place.selection.kind === 'node' ? place.selection.id : null;
}

export function edgeIn(
  flow: Flow,
  graphName: string,
  from: string | null,
  to: string | null,
  leftBy: string | null,
): number | null {
  if (from === null || to === null) return null;
  const fits = graphOf(flow, graphName).edges.flatMap((edge, at) =>
    edge.from === from && (edge.to === to || (leftBy === 'back' && edge.to === '$back'))
      ? [{ edge, at }]
      : [],
  );
  if (leftBy === 'global') return null;
  const exact = fits.find(({ edge }) => conditionOf(edge.when) === leftBy);
  return (exact ?? fits[0])?.at ?? null;
}

/** Numbers the nodes by the steps of a call, and marks the edges that it took. */
export function pathMarks(flow: Flow, graphName: string, path: readonly PathStep[]): Marks {
  const steps = new Map<string, number[]>();
  const edges = new Map<number, EdgeMark>();
  const nodes = path.map(({ node }) => nodeIn(flow, graphName, node));
  for (const [at, id] of nodes.entries()) {
    if (id === null) continue;
    const before = nodes[at - 1] ?? null;
    if (at === 0 || before !== id || path[at - 1]?.node === path[at]?.node)
      steps.set(id, [...(steps.get(id) ?? []), at + 1]);
    const edge = at === 0 ? null : edgeIn(flow, graphName, before, id, path[at - 1]?.left_by ?? null);
    if (edge !== null && (before !== id || path[at - 1]?.node === path[at]?.node))
      edges.set(edge, { isTaken: true });
  }
  const last = nodes.at(-1) ?? null;
  return {
    nodes: new Map(
      [...steps].map(([id, list]) => [id, { steps: list.join(', '), isCurrent: id === last }] as const),
    ),
    edges,
  };
}

export function merged(one: Marks, other: Marks): Marks {
  const nodes = new Map(one.nodes);
  for (const [id, mark] of other.nodes) nodes.set(id, { ...nodes.get(id), ...mark });
  const edges = new Map(one.edges);
  for (const [at, mark] of other.edges) edges.set(at, { ...edges.get(at), ...mark });
  return { nodes, edges };
}
