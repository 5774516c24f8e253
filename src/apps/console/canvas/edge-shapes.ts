import type { Edge, Graph, Position } from './document.ts';
import { BOX } from './layout.ts';

export interface EdgeShape {
  readonly path: string;
  readonly label: Position;
}

const BEND = 46;
const SIDE = 60;
/** Edges between the same two nodes keep this distance. */
const APART = 26;

const mid = (a: number, b: number): number => (a + b) / 2;

/** The way down leaves at the bottom; a way back or aside leaves at the right. */
export function edgeShapes(
  graph: Graph,
  places: ReadonlyMap<string, Position>,
): readonly (EdgeShape | null)[] {
  const downs = new Map<string, readonly Edge[]>();
  for (const { id } of graph.nodes) downs.set(id, downwards(graph, places, id));
  return graph.edges.map((edge, at) => {
    const [start, end] = [places.get(edge.from), places.get(edge.to)];
    if (start === undefined) return null;
    if (end === undefined) return stub(start);
    const twins = graph.edges
      .slice(0, at)
      .filter(({ from, to }) => from === edge.from && to === edge.to).length;
    const below = downs.get(edge.from) ?? [];
    const nth = below.indexOf(edge);
    return nth >= 0
      ? down(start, end, (nth + 1) / (below.length + 1), twins)
      : aside(start, end, edge.from === edge.to, twins);
  });
}

function downwards(graph: Graph, places: ReadonlyMap<string, Position>, id: string): readonly Edge[] {
  const y = places.get(id)?.y ?? 0;
  return graph.edges
    .filter(({ from, to }) => from === id && (places.get(to)?.y ?? y) >= y + BOX.height)
    .sort((a, b) => (places.get(a.to)?.x ?? 0) - (places.get(b.to)?.x ?? 0));
}

function down(start: Position, end: Position, share: number, twins: number): EdgeShape {
  const a = { x: start.x + BOX.width * share, y: start.y + BOX.height };
  const b = { x: end.x + BOX.width / 2 + twins * APART, y: end.y };
  const bend = Math.max(BEND, (b.y - a.y) / 2);
  return {
    path: `M${a.x} ${a.y}C${a.x} ${a.y + bend} ${b.x} ${b.y - bend} ${b.x} ${b.y}`,
    label: { x: a.x + (b.x - a.x) * 0.35, y: a.y + Math.min(34, (b.y - a.y) / 2) + twins * APART },
  };
}

function aside(start: Position, end: Position, isLoop: boolean, twins: number): EdgeShape {
  const a = { x: start.x + BOX.width, y: start.y + BOX.height / 2 + (isLoop ? 12 : 0) };
  const toRight = end.x > start.x + BOX.width;
  const b = toRight
    ? { x: end.x, y: end.y + BOX.height / 2 }
    : { x: end.x + BOX.width, y: end.y + BOX.height / 2 - (isLoop ? 16 : 0) };
  const out = SIDE + twins * APART;
  const path = toRight
    ? `M${a.x} ${a.y}C${a.x + out} ${a.y} ${b.x - out} ${b.y} ${b.x} ${b.y}`
    : `M${a.x} ${a.y}C${a.x + out} ${a.y} ${b.x + out} ${b.y} ${b.x} ${b.y}`;
  return {
    path,
    label: { x: mid(a.x, b.x) + (toRight ? 0 : out * 0.75), y: mid(a.y, b.y) + twins * APART },
  };
}

/** An edge to `$back` or to a node that is missing ends in the open. */
function stub(start: Position): EdgeShape {
  const x = start.x + 24;
  const y = start.y + BOX.height;
  return { path: `M${x} ${y}v44`, label: { x, y: y + 56 } };
}
