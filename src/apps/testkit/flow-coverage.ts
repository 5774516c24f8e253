interface Edge {
  readonly from: string;
  readonly to: string;
  readonly when?: Readonly<Record<string, unknown>>;
}

interface Graph {
  readonly nodes: readonly { readonly id: string; readonly type?: string; readonly flow?: string }[];
  readonly edges: readonly Edge[];
}

export interface CoveredFlow extends Graph {
  readonly globals?: readonly Omit<Edge, 'from'>[];
  readonly subflows?: Readonly<Record<string, Graph>>;
}

/** `left_by` is the kind of the condition by which the call left the node. */
type Path = readonly { readonly node: string; readonly left_by?: string | null }[];

export interface FlowCoverage {
  readonly edges: { readonly taken: number; readonly of: number };
  readonly edgesLeft: readonly string[];
  readonly nodesLeft: readonly string[];
}

const EVERYWHERE = 'everywhere';
const CONDITIONS = [
  'slot',
  'rule',
  'intent',
  'result',
  'silence',
  'key',
  'attempts',
  'answer',
  'language',
] as const;
const conditionOf = ({ when }: Edge): string =>
  CONDITIONS.find((name) => when?.[name] !== undefined) ?? 'otherwise';
const isNode = ({ to }: Edge): boolean => !to.startsWith('$');

/** A subflow counts once for each node that holds it, and its nodes are named as in a call's path: `who.name`. */
function expanded(flow: CoveredFlow, graph: Graph, prefix = ''): Graph {
  const named = (id: string) => (id.startsWith('$') ? id : prefix + id);
  const inner = graph.nodes.flatMap(({ id, type, flow: name = '' }) => {
    const held = type === 'subflow' ? flow.subflows?.[name] : undefined;
    return held === undefined ? [] : [expanded(flow, held, `${named(id)}.`)];
  });
  return {
    nodes: [...graph.nodes.map(({ id }) => ({ id: named(id) })), ...inner.flatMap(({ nodes }) => nodes)],
    edges: [
      ...graph.edges.map((edge) => ({ ...edge, from: named(edge.from), to: named(edge.to) })),
      ...inner.flatMap(({ edges }) => edges),
    ],
  };
}

/** A subflow is left through its end, which stands for the node that holds it. */
const holderOf = (node: string): string => node.replace(/(\.\$end)+$/, '');

interface Way {
  readonly name: string;
  readonly condition: string;
}

export function coverageOf(flow: CoveredFlow, paths: readonly Path[]): FlowCoverage {
  const { nodes, edges } = expanded(flow, flow);
  const globals = (flow.globals ?? []).map((edge): Edge => ({ ...edge, from: EVERYWHERE }));
  const ways = waysOf([...edges, ...globals].filter(isNode));
  const entered = new Set<string>();
  const taken = new Set<string>();
  for (const path of paths)
    for (const [at, { node }] of path.entries()) {
      entered.add(node);
      const before = path[at - 1];
      if (before === undefined) continue;
      const from = before.left_by === 'global' ? EVERYWHERE : holderOf(before.node);
      const conditions = ways.get(`${from} -> ${node}`) ?? [];
      const [way] =
        conditions.length > 1
          ? conditions.filter(({ condition }) => condition === before.left_by)
          : conditions;
      if (way !== undefined) taken.add(way.name);
    }
  const all = [...ways.values()].flat().map(({ name }) => name);
  const left = all.filter((name) => !taken.has(name));
  return {
    edges: { taken: all.length - left.length, of: all.length },
    edgesLeft: left,
    nodesLeft: nodes.map(({ id }) => id).filter((id) => !entered.has(id)),
  };
}

/** Two edges between the same nodes are told apart by the kinds of their conditions. */
function waysOf(edges: readonly Edge[]): Map<string, Way[]> {
  const ways = new Map<string, Set<string>>();
  for (const edge of edges) {
    const pair = `${edge.from} -> ${edge.to}`;
    const condition = edge.from === EVERYWHERE ? 'global' : conditionOf(edge);
    ways.set(pair, (ways.get(pair) ?? new Set()).add(condition));
  }
  return new Map(
    [...ways].map(([pair, conditions]) => [
      pair,
      [...conditions].map((condition) => ({
        name: conditions.size === 1 ? pair : `${pair} (${condition})`,
        condition,
      })),
    ]),
  );
}
