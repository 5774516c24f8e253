/** A flow as the API has it, and the edits of the canvas: each returns a new document and leaves the old one. */

export const NODE_TYPES = [
  'say',
  'ask',
  'decide',
  'tool',
  'knowledge',
  'transfer',
  'handoff',
  'wait',
  'message',
  'subflow',
  'end',
] as const;
export type NodeType = (typeof NODE_TYPES)[number];

export const CONDITIONS = [
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
export type Condition = (typeof CONDITIONS)[number];

export type Words = string | Readonly<Record<string, string>>;

export interface Position {
  readonly x: number;
  readonly y: number;
}

export interface Slot {
  readonly name: string;
  readonly kind: string;
  readonly label?: Words;
  readonly prompt?: Words;
  readonly options?: readonly string[];
  readonly lookup?: string;
  readonly confirm?: string;
}

export interface FlowNode {
  readonly id: string;
  readonly type: NodeType;
  readonly label?: string;
  readonly position?: Position;
  readonly required?: boolean;
  readonly requires?: readonly string[];
  readonly slots?: readonly Slot[] | readonly string[];
  readonly answers?: readonly string[];
  readonly [field: string]: unknown;
}

export interface When {
  readonly phrases?: readonly string[];
  readonly description?: string;
  readonly [condition: string]: unknown;
}

export interface GlobalEdge {
  readonly to: string;
  readonly when: When;
  readonly priority?: number;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly when?: When;
  readonly priority?: number;
}

export interface Graph {
  readonly start: string;
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly Edge[];
}

export interface Flow extends Graph {
  readonly globals?: readonly GlobalEdge[];
  readonly persona?: string;
  readonly subflows?: Readonly<Record<string, Graph>>;
}

/** Names a part of the graph that is shown; `at` is a place in its list. */
export type Selection =
  | { readonly kind: 'node'; readonly id: string }
  | { readonly kind: 'edge'; readonly at: number }
  | { readonly kind: 'global'; readonly at: number };

export const ID_PATTERN = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const DUPLICATE_SHIFT = 30;

export const conditionOf = (when: When | undefined): Condition | 'otherwise' =>
  CONDITIONS.find((name) => when?.[name] !== undefined) ?? 'otherwise';

export const nodeOf = ({ nodes }: Graph, id: string): FlowNode | undefined =>
  nodes.find((node) => node.id === id);

/** The empty name is the flow itself. */
export const graphOf = (flow: Flow, name: string): Graph =>
  name === '' ? flow : (flow.subflows?.[name] ?? flow);

export const withGraph = (flow: Flow, name: string, graph: Graph): Flow =>
  name === ''
    ? { ...flow, ...graph }
    : { ...flow, subflows: { ...flow.subflows, [name]: { ...graphOf(flow, name), ...graph } } };

export function unusedName(wanted: string, taken: readonly string[]): string {
  if (!taken.includes(wanted)) return wanted;
  let count = 2;
  while (taken.includes(`${wanted}_${count}`)) count += 1;
  return `${wanted}_${count}`;
}

const FIRST_FIELDS: Readonly<
  Record<NodeType, (taken: readonly string[]) => Readonly<Record<string, unknown>>>
> = {
  say: () => ({}),
  ask: (taken) => ({ slots: [{ name: unusedName('answer', taken), kind: 'text' }] }),
  decide: () => ({}),
  tool: () => ({ tool: '' }),
  knowledge: () => ({}),
  transfer: () => ({ to: '' }),
  handoff: () => ({ agent_id: '' }),
  wait: () => ({ seconds: 5 }),
  message: () => ({ body: '' }),
  subflow: () => ({ flow: '' }),
  end: () => ({}),
};

export const slotsOf = (node: FlowNode): readonly Slot[] =>
  node.type === 'ask' ? ((node.slots ?? []) as readonly Slot[]) : [];

export const slotNames = (flow: Flow): string[] =>
  [flow, ...Object.values(flow.subflows ?? {})].flatMap(({ nodes }) =>
    nodes.flatMap((node) => slotsOf(node).map(({ name }) => name)),
  );

export function addNode(
  graph: Graph,
  type: NodeType,
  position: Position,
  slots: readonly string[],
): { readonly graph: Graph; readonly id: string } {
  const id = unusedName(
    type,
    graph.nodes.map((node) => node.id),
  );
  const node: FlowNode = { id, type, ...FIRST_FIELDS[type](slots), position };
  const start = graph.nodes.length === 0 ? id : graph.start;
  return { graph: { ...graph, start, nodes: [...graph.nodes, node] }, id };
}

export function duplicateNode(graph: Graph, id: string, at: Position): { graph: Graph; id: string } {
  const node = nodeOf(graph, id);
  if (node === undefined) return { graph, id };
  const made = unusedName(
    `${id.slice(0, 56)}_copy`,
    graph.nodes.map((one) => one.id),
  );
  const position = { x: at.x + DUPLICATE_SHIFT, y: at.y + DUPLICATE_SHIFT };
  return { graph: { ...graph, nodes: [...graph.nodes, { ...node, id: made, position }] }, id: made };
}

/** Edges from and to the node go with it. */
export function removeNode(flow: Flow, name: string, id: string): Flow {
  const graph = graphOf(flow, name);
  const nodes = graph.nodes.filter((node) => node.id !== id).map((node) => withoutRequired(node, id));
  const changed = withGraph(flow, name, {
    start: graph.start === id ? (nodes[0]?.id ?? '') : graph.start,
    nodes,
    edges: graph.edges.filter(({ from, to }) => from !== id && to !== id),
  });
  if (name !== '' || flow.globals === undefined) return changed;
  return { ...changed, globals: flow.globals.filter(({ to }) => to !== id) };
}

function withoutRequired(node: FlowNode, id: string): FlowNode {
  if (node.requires?.includes(id) !== true) return node;
  return { ...node, requires: node.requires.filter((one) => one !== id) };
}

export function renameNode(flow: Flow, name: string, id: string, wanted: string): Flow {
  const graph = graphOf(flow, name);
  const renamed = (one: string): string => (one === id ? wanted : one);
  const changed = withGraph(flow, name, {
    start: renamed(graph.start),
    nodes: graph.nodes.map((node) => ({
      ...node,
      id: renamed(node.id),
      ...(node.requires === undefined ? {} : { requires: node.requires.map(renamed) }),
    })),
    edges: graph.edges.map((edge) => ({ ...edge, from: renamed(edge.from), to: renamed(edge.to) })),
  });
  if (name !== '' || flow.globals === undefined) return changed;
  return { ...changed, globals: flow.globals.map((edge) => ({ ...edge, to: renamed(edge.to) })) };
}

/** A field that is set to undefined is removed. */
export function changed<T extends object>(part: T, change: Readonly<Record<string, unknown>>): T {
  const entries = Object.entries({ ...part, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}

export const changeNode = (graph: Graph, id: string, change: Readonly<Record<string, unknown>>): Graph => ({
  ...graph,
  nodes: graph.nodes.map((node) => (node.id === id ? changed(node, change) : node)),
});

export const replaced = <T>(list: readonly T[], at: number, item: T): T[] =>
  list.map((one, index) => (index === at ? item : one));
export const without = <T>(list: readonly T[], at: number): T[] => list.filter((_, index) => index !== at);

/** Chooses the condition that a node of this type still lacks, so that most edges need no further edit. */
export function connect(graph: Graph, from: string, to: string): Graph {
  const node = nodeOf(graph, from);
  const out = graph.edges.filter((edge) => edge.from === from);
  const has = (condition: string): boolean => out.some(({ when }) => conditionOf(when) === condition);
  const when = node === undefined ? undefined : lackingCondition(node, out, has, to);
  return { ...graph, edges: [...graph.edges, { from, to, ...(when === undefined ? {} : { when }) }] };
}

function lackingCondition(
  node: FlowNode,
  out: readonly Edge[],
  has: (condition: string) => boolean,
  to: string,
): When | undefined {
  if (node.type === 'decide') {
    const answer = (node.answers ?? []).find((one) => !out.some(({ when }) => when?.answer === one));
    if (answer !== undefined) return { answer };
  }
  if (!has('otherwise')) return undefined;
  if (node.type === 'ask' && !has('attempts')) return { attempts: true };
  if ((node.type === 'tool' || node.type === 'message' || node.type === 'wait') && !has('result'))
    return { result: 'failed' };
  if (node.type === 'decide') return { rule: { value: '', is: '' } };
  return node.type === 'say' || node.type === 'knowledge' || node.type === 'ask' ? { intent: to } : undefined;
}

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
