import { type CompiledFlow, type CompiledNode, joinOf } from './compile.ts';
import { BACK, conditionOf, type Edge, REPEAT } from './schema.ts';

/** In these nodes the caller is heard, and edges wait for what they say. */
export const TALKS: ReadonlySet<CompiledNode['type']> = new Set(['say', 'knowledge']);
export const ENDS: ReadonlySet<CompiledNode['type']> = new Set(['end', 'transfer']);
const CALLERS = new Set(['intent', 'key', 'silence', 'attempts', 'language']);

/** A node that waits for the caller or a third party bounds the rate of a loop. */
export const waits = ({ type }: CompiledNode, out: readonly Edge[]): boolean =>
  type === 'ask' || type === 'wait' || type === 'handoff' || (TALKS.has(type) && isCallers(out));

export const isCallers = (out: readonly Edge[]): boolean =>
  out.some(({ when }) => CALLERS.has(conditionOf(when)));

/** The node, or the model in it, can do something irreversible. */
export const acts = (node: CompiledNode): boolean =>
  node.type !== 'join' &&
  (node.type === 'tool' ||
    node.type === 'transfer' ||
    node.type === 'handoff' ||
    node.type === 'message' ||
    (node.tools ?? []).length > 0);

/** Returns true where leaving by this edge can count as passing the node. */
export function mayPass(node: CompiledNode, { when }: Pick<Edge, 'when'>): boolean {
  const condition = conditionOf(when);
  if (condition === 'attempts' || condition === 'silence' || when?.result === 'failed') return false;
  if (node.type !== 'ask') return true;
  if (condition === 'slot') {
    const filled = [when?.slot ?? []].flat();
    return node.slots.every(({ name }) => filled.includes(name));
  }
  return condition === 'rule' || condition === 'otherwise';
}

/** A subflow is passed at its end, and any other node is passed by itself. */
export const exitOf = ({ id, type }: Pick<CompiledNode, 'id' | 'type'>): string =>
  type === 'subflow' ? joinOf(`${id}.`) : id;

const isNode = (to: string): boolean => to !== BACK && to !== REPEAT;

export function reachable(
  { edges }: Pick<CompiledFlow, 'edges'>,
  from: readonly string[],
  takes: (edge: Edge) => boolean = () => true,
): Set<string> {
  const found = new Set<string>();
  const left = [...from];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    for (const edge of edges.get(node) ?? []) {
      if (!isNode(edge.to) || found.has(edge.to) || !takes(edge)) continue;
      found.add(edge.to);
      left.push(edge.to);
    }
  }
  return found;
}

/** Finds the nodes from which a call can reach one of `targets` without entering `without`. */
export function leadsTo(
  { edges }: Pick<CompiledFlow, 'edges'>,
  targets: readonly string[],
  without: string,
): Set<string> {
  const before = new Map<string, string[]>();
  for (const { from, to } of [...edges.values()].flat()) {
    const known = before.get(to);
    if (known === undefined) before.set(to, [from]);
    else known.push(from);
  }
  const found = new Set(targets.filter((id) => id !== without));
  const left = [...found];
  for (let id = left.pop(); id !== undefined; id = left.pop())
    for (const from of before.get(id) ?? []) {
      if (from === without || found.has(from)) continue;
      found.add(from);
      left.push(from);
    }
  return found;
}

const globalTargets = ({ globals }: CompiledFlow): string[] => globals.map(({ to }) => to).filter(isNode);

export function reached(flow: CompiledFlow): Set<string> {
  const roots = [flow.start, ...globalTargets(flow)];
  return new Set([...roots, ...reachable(flow, roots)]);
}

/** Finds the nodes that a call can reach without passing `required`. */
export function reachedWithout(flow: CompiledFlow, required: string): Set<string> {
  const node = flow.nodes.get(required);
  const roots = [flow.start, ...globalTargets(flow)];
  const takes = (edge: Edge): boolean =>
    node === undefined || edge.from !== exitOf(node) || !mayPass(node, edge);
  return new Set([...roots, ...reachable(flow, roots, takes)]);
}

/** Maps each node to the nodes that a call must pass before it enters it. */
export function needsOf(flow: CompiledFlow): Map<string, readonly string[]> {
  const needs = new Map<string, string[]>();
  for (const node of flow.nodes.values())
    if (node.type !== 'join' && node.requires !== undefined) needs.set(node.id, [...node.requires]);
  for (const required of flow.nodes.values()) {
    if (required.type === 'join' || required.required !== true) continue;
    const first = (flow.edges.get(exitOf(required)) ?? []).filter(
      (edge) => isNode(edge.to) && mayPass(required, edge),
    );
    const roots = first.map(({ to }) => to);
    for (const id of new Set([...roots, ...reachable(flow, roots)])) {
      const node = flow.nodes.get(id);
      if (node === undefined || node.type === 'join' || node.requires !== undefined) continue;
      if (id === required.id || !acts(node)) continue;
      needs.set(id, [...(needs.get(id) ?? []), required.id]);
    }
  }
  return needs;
}
