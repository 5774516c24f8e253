interface Graph {
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

type Path = readonly { readonly node: string }[];

export interface FlowCoverage {
  readonly edges: { readonly taken: number; readonly of: number };
  readonly edgesLeft: readonly string[];
  readonly nodesLeft: readonly string[];
}

const outer = (node: string): string => node.split('.')[0] as string;

export function coverageOf({ nodes, edges }: Graph, paths: readonly Path[]): FlowCoverage {
  const entered = new Set<string>();
  const taken = new Set<string>();
  for (const path of paths) {
    const visited = path.map(({ node }) => outer(node));
    for (const [at, node] of visited.entries()) {
      entered.add(node);
      const before = visited[at - 1];
      if (before !== undefined && before !== node) taken.add(`${before} -> ${node}`);
    }
  }
  const ways = [
    ...new Set(edges.filter(({ to }) => !to.startsWith('$')).map(({ from, to }) => `${from} -> ${to}`)),
  ];
  const left = ways.filter((way) => !taken.has(way));
  return {
    edges: { taken: ways.length - left.length, of: ways.length },
    edgesLeft: left,
    nodesLeft: nodes.map(({ id }) => id).filter((id) => !entered.has(id)),
  };
}
