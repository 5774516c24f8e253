import type { TenantScope } from '../../foundation/access/contract.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';

const PAGE = 500;

export interface FlowAnalyticsQuery {
  readonly agentId: string;
  readonly version: number | null;
  readonly from: number;
  readonly to: number;
  readonly mostCalls: number;
}

export interface FlowAnalyticsResult {
  /** Calls of the agent that went through a flow. */
  readonly calls: number;
  readonly nodes: readonly NodeFigures[];
  readonly edges: readonly EdgeFigures[];
  readonly truncated: boolean;
}

export interface NodeFigures {
  readonly node: string;
  /** It is the sum of `went_on` and `ended`. */
  calls: number;
  visits: number;
  went_on: number;
  ended: number;
}

export interface EdgeFigures {
  readonly from: string;
  readonly to: string;
  readonly left_by: string;
  calls: number;
}

interface Step {
  readonly node: string;
  readonly entered_at_ms: number;
  readonly left_by: string | null;
  /** Present where the flows of more than one agent had the call. */
  readonly agent_id?: string;
}

interface StoredTurns {
  readonly path?: readonly Step[];
  /** Present where more than one agent had the call. */
  readonly agents?: readonly {
    readonly agent_id: string;
    readonly agent_version: number;
    readonly from_ms: number;
  }[];
}

/** Counts, for each node of an agent's flow, the calls that reached it and those that went on. */
export async function flowAnalytics(
  storage: Storage,
  scope: TenantScope,
  { agentId, version, from, to, mostCalls }: FlowAnalyticsQuery,
): Promise<FlowAnalyticsResult> {
  const sum = new FlowSum();
  let counted = 0;
  let end: { readonly createdAt: number; readonly id: string } | null = null;
  for (;;) {
    let rows = withinTenant(storage.db, scope)
      .selectFrom('omni_calls')
      .select(['id', 'created_at', 'agent_id', 'agent_version', 'turns'])
      .where((is) => is.or([is('agent_id', '=', agentId), is('turns', 'like', `%"${agentId}"%`)]))
      .where('created_at', '>=', from)
      .where('created_at', '<=', to)
      .where('turns', 'is not', null)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(PAGE);
    if (end !== null) {
      const { createdAt, id } = end;
      rows = rows.where((is) =>
        is.or([
          is('created_at', '<', createdAt),
          is.and([is('created_at', '=', createdAt), is('id', '<', id)]),
        ]),
      );
    }
    const page = await rows.execute();
    for (const { turns, agent_id, agent_version } of page) {
      const stored = JSON.parse(turns ?? '{}') as StoredTurns;
      if (stored.agents === undefined && agent_id !== agentId) continue;
      sum.add(pathOf(stored, agentId, version, agent_version === null ? null : Number(agent_version)));
    }
    counted += page.length;
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined || counted >= mostCalls)
      return { ...sum.figures(), truncated: page.length === PAGE && counted >= mostCalls };
    end = { createdAt: Number(last.created_at), id: last.id };
  }
}

/**
 * A call that several agents had counts by the steps of this agent: a step names its agent where several have a flow,
 * and otherwise its time says who had the call.
 */
function pathOf(
  { path = [], agents }: StoredTurns,
  agentId: string,
  version: number | null,
  ownVersion: number | null,
): readonly Step[] {
  if (agents === undefined) return version === null || version === ownVersion ? path : [];
  return path.filter((step) => {
    const shares = agents.filter(({ agent_id }) => (step.agent_id ?? agent_id) === agent_id);
    const share = shares.findLast(({ from_ms }) => from_ms <= step.entered_at_ms) ?? shares[0];
    return share?.agent_id === agentId && (version === null || share.agent_version === version);
  });
}

class FlowSum {
  readonly #nodes = new Map<string, NodeFigures>();
  readonly #edges = new Map<string, EdgeFigures>();
  #calls = 0;

  add(path: readonly Step[]): void {
    const last = path.at(-1);
    if (last === undefined) return;
    this.#calls += 1;
    for (const { node } of path) this.#nodeOf(node).visits += 1;
    for (const node of new Set(path.map((step) => step.node))) {
      const figures = this.#nodeOf(node);
      figures.calls += 1;
      if (node === last.node) figures.ended += 1;
      else figures.went_on += 1;
    }
    const taken = new Map<string, EdgeFigures>();
    for (const [at, { node, left_by }] of path.entries()) {
      const next = path[at + 1];
      if (next === undefined) continue;
      const edge = { from: node, to: next.node, left_by: left_by ?? 'otherwise', calls: 0 };
      taken.set(`${edge.from} ${edge.to} ${edge.left_by}`, edge);
    }
    for (const [key, edge] of taken) {
      const figures = this.#edges.get(key) ?? edge;
      figures.calls += 1;
      this.#edges.set(key, figures);
    }
  }

  figures(): Omit<FlowAnalyticsResult, 'truncated'> {
    const byCalls = (a: { calls: number }, b: { calls: number }): number => b.calls - a.calls;
    return {
      calls: this.#calls,
      nodes: [...this.#nodes.values()].sort(byCalls),
      edges: [...this.#edges.values()].sort(byCalls),
    };
  }

  #nodeOf(node: string): NodeFigures {
    const figures = this.#nodes.get(node) ?? { node, calls: 0, visits: 0, went_on: 0, ended: 0 };
    this.#nodes.set(node, figures);
    return figures;
  }
}
