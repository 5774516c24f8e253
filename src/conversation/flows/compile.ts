import { type Edge, type Flow, type FlowNode, type GlobalEdge, type Graph, PRIORITY } from './schema.ts';

export type CompiledNode =
  | FlowNode
  /** A subflow ends here, and the edges of its `subflow` node follow. */
  | { readonly id: string; readonly type: 'join'; readonly say?: never };

/** The compiled flow has its subflows inlined and its edges in the order of evaluation. */
export interface CompiledFlow {
  readonly start: string;
  readonly persona: string | null;
  readonly nodes: ReadonlyMap<string, CompiledNode>;
  readonly edges: ReadonlyMap<string, readonly Edge[]>;
  readonly globals: readonly GlobalEdge[];
}

/** The limit counts a subflow's nodes for each use. */
export const MOST_NODES = 500;
/** Checks and turns of calls look at every edge, so a subflow's edges count for each use, too. */
export const MOST_EDGES = 5_000;

export class SubflowError extends Error {
  readonly node: string;

  constructor(node: string, message: string) {
    super(message);
    this.node = node;
  }
}

/** Throws SubflowError for a subflow that does not exist or contains itself. */
export function compile(flow: Flow): CompiledFlow {
  const nodes = new Map<string, CompiledNode>();
  const edges: Edge[] = [];
  place(flow, { prefix: '', within: [], subflows: flow.subflows ?? {}, nodes, edges });
  const out = new Map<string, Edge[]>();
  for (const edge of edges) {
    const known = out.get(edge.from);
    if (known === undefined) out.set(edge.from, [edge]);
    else known.push(edge);
  }
  for (const list of out.values()) list.sort(inOrder);
  return {
    start: flow.start,
    persona: flow.persona ?? null,
    nodes,
    edges: out,
    globals: [...(flow.globals ?? [])].sort(inOrder),
  };
}

interface Placing {
  readonly prefix: string;
  readonly within: readonly string[];
  readonly subflows: Readonly<Record<string, Graph>>;
  readonly nodes: Map<string, CompiledNode>;
  readonly edges: Edge[];
}

function place(graph: Graph, placing: Placing): void {
  const { prefix, within, subflows, nodes, edges } = placing;
  const named = (id: string): string => (id.startsWith('$') ? id : prefix + id);
  for (const node of graph.nodes) {
    const id = named(node.id);
    if (nodes.size >= MOST_NODES)
      throw new SubflowError(id, `a flow can have at most ${MOST_NODES} nodes including its subflows`);
    if (within.length > 0 && node.type === 'end') {
      nodes.set(id, { id, type: 'join' });
      edges.push({ from: id, to: joinOf(prefix) });
      continue;
    }
    nodes.set(id, withPrefix(node, id, named));
    if (node.type !== 'subflow') continue;
    const inner = Object.hasOwn(subflows, node.flow) ? subflows[node.flow] : undefined;
    if (inner === undefined) throw new SubflowError(id, `there is no subflow ${node.flow}`);
    if (within.includes(node.flow)) throw new SubflowError(id, `the subflow ${node.flow} contains itself`);
    const own = `${id}.`;
    nodes.set(joinOf(own), { id: joinOf(own), type: 'join' });
    edges.push({ from: id, to: own + inner.start });
    place(inner, { ...placing, prefix: own, within: [...within, node.flow] });
  }
  const joins = new Set(graph.nodes.flatMap(({ type, id }) => (type === 'subflow' ? [id] : [])));
  if (edges.length + graph.edges.length > MOST_EDGES)
    throw new SubflowError(prefix, `a flow can have at most ${MOST_EDGES} edges including its subflows`);
  for (const edge of graph.edges) {
    const from = joins.has(edge.from) ? joinOf(`${named(edge.from)}.`) : named(edge.from);
    edges.push({ ...edge, from, to: named(edge.to) });
  }
}

export const joinOf = (prefix: string): string => `${prefix}$end`;

/** Returns the `subflow` node that ends in this join; null for another node. */
export const holderOf = (id: string): string | null =>
  id.endsWith('.$end') ? id.slice(0, -'.$end'.length) : null;

const withPrefix = (node: FlowNode, id: string, named: (id: string) => string): FlowNode =>
  node.requires === undefined ? { ...node, id } : { ...node, id, requires: node.requires.map(named) };

/** Lower priorities come first, then the written order; an edge without a condition is last. */
const inOrder = (one: Omit<Edge, 'from'>, other: Omit<Edge, 'from'>): number =>
  Number(one.when === undefined) - Number(other.when === undefined) ||
  (one.priority ?? PRIORITY) - (other.priority ?? PRIORITY);
