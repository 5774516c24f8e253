import type { Graph, Position } from './document.ts';

export const BOX = { width: 208, height: 74 } as const;
const ACROSS = 120;
const DOWN = 76;
export const GRID = 10;

export const onGrid = ({ x, y }: Position): Position => ({
  x: Math.round(x / GRID) * GRID,
  y: Math.round(y / GRID) * GRID,
});

function rowsOf({ start, nodes, edges }: Graph): string[][] {
  const rows = new Map<string, number>();
  const grow = (first: readonly string[], row: number): void => {
    let next = first.filter((id) => !rows.has(id) && nodes.some((node) => node.id === id));
    for (let at = row; next.length > 0; at += 1) {
      for (const id of next) rows.set(id, at);
      const found = edges.filter(({ from }) => next.includes(from)).map(({ to }) => to);
      next = [...new Set(found)].filter((id) => !rows.has(id) && nodes.some((node) => node.id === id));
    }
  };
  grow([start], 0);
  for (const { id } of nodes) grow([id], 1);
  const found: string[][] = [];
  for (const { id } of nodes) {
    const row = rows.get(id) ?? 0;
    found[row] = [...(found[row] ?? []), id];
  }
  return found.filter((row) => row !== undefined);
}

/** Orders each row by the mean place of the nodes that lead to it, so that few edges cross. */
function ordered(rows: readonly string[][], { edges }: Graph): string[][] {
  const places = new Map<string, number>();
  return rows.map((row) => {
    const middle = (id: string): number => {
      const before = edges.flatMap(({ from, to }) => (to === id ? (places.get(from) ?? []) : []));
      return before.length === 0 ? 0 : before.reduce((sum, one) => sum + one, 0) / before.length;
    };
    const sorted = row
      .map((id, at) => ({ id, at, middle: middle(id) }))
      .sort((a, b) => a.middle - b.middle || a.at - b.at);
    for (const [at, { id }] of sorted.entries()) places.set(id, at - (sorted.length - 1) / 2);
    return sorted.map(({ id }) => id);
  });
}

/** Nodes that have a position keep it; the others stand in a row for each step from the start. */
export function placesOf(graph: Graph): ReadonlyMap<string, Position> {
  const places = new Map<string, Position>();
  for (const [row, ids] of ordered(rowsOf(graph), graph).entries())
    for (const [at, id] of ids.entries())
      places.set(
        id,
        onGrid({
          x: (at - (ids.length - 1) / 2) * (BOX.width + ACROSS) - BOX.width / 2,
          y: row * (BOX.height + DOWN),
        }),
      );
  for (const { id, position } of graph.nodes) if (position !== undefined) places.set(id, position);
  return places;
}

/** Writes every place into the graph, so that an edit of one node moves no other. */
export const withPlaces = (graph: Graph, places: ReadonlyMap<string, Position>): Graph => ({
  ...graph,
  nodes: graph.nodes.map((node) => {
    const position = places.get(node.id);
    return position === undefined ? node : { ...node, position };
  }),
});

export const withoutPlaces = (graph: Graph): Graph => ({
  ...graph,
  nodes: graph.nodes.map(({ position: _position, ...node }) => node as Graph['nodes'][number]),
});

const overlaps = (a: Position, b: Position): boolean =>
  Math.abs(a.x - b.x) < BOX.width + GRID && Math.abs(a.y - b.y) < BOX.height + GRID;

/** Finds a free place below the wanted one, or beside it. */
export function freePlace(wanted: Position, places: Iterable<Position>): Position {
  const taken = [...places];
  const across = BOX.width + ACROSS;
  for (let row = 0; row < 50; row += 1)
    for (const column of [0, 1, -1, 2, -2]) {
      const at = onGrid({ x: wanted.x + column * across, y: wanted.y + row * (BOX.height + DOWN) });
      if (!taken.some((one) => overlaps(one, at))) return at;
    }
  return onGrid(wanted);
}

export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function boundsOf(places: ReadonlyMap<string, Position>): Bounds {
  const all = [...places.values()];
  const xs = all.map(({ x }) => x);
  const ys = all.map(({ y }) => y);
  const [x, y] = [Math.min(0, ...xs), Math.min(0, ...ys)];
  return { x, y, width: Math.max(...xs, x) + BOX.width - x, height: Math.max(...ys, y) + BOX.height - y };
}

/** Finds the node that lies nearest in the direction of an arrow key. */
export function nearest(
  places: ReadonlyMap<string, Position>,
  from: string,
  dx: number,
  dy: number,
): string | null {
  const here = places.get(from);
  if (here === undefined) return null;
  let best: { id: string; cost: number } | null = null;
  for (const [id, { x, y }] of places) {
    const along = (x - here.x) * dx + (y - here.y) * dy;
    const aside = Math.abs((x - here.x) * dy) + Math.abs((y - here.y) * dx);
    if (id === from || along <= 0) continue;
    const cost = along + 2 * aside;
    if (best === null || cost < best.cost) best = { id, cost };
  }
  return best?.id ?? null;
}
