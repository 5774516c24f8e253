import { type Flow, graphOf, nodeOf, type Selection } from './document.ts';

export interface Place {
  readonly graphName: string;
  readonly selection: Selection;
}

const JOIN = '.$end';

/** `visit.ask` is the node `ask` of the subflow that the node `visit` goes through. */
function placeOfNode(flow: Flow, path: string): Place | null {
  const parts = path.split('.');
  const nth = /^nodes\.(\d+)$/.exec(path)?.[1];
  const unnamed = nth === undefined ? undefined : flow.nodes[Number(nth)];
  if (unnamed !== undefined) return { graphName: '', selection: { kind: 'node', id: unnamed.id } };
  let graphName = '';
  for (const [at, id] of parts.entries()) {
    const node = nodeOf(graphOf(flow, graphName), id);
    if (node === undefined) break;
    if (at === parts.length - 1) return { graphName, selection: { kind: 'node', id } };
    graphName = String(node.flow ?? '');
  }
  const within = Object.entries(flow.subflows ?? {}).find(([, graph]) => nodeOf(graph, path) !== undefined);
  return within === undefined ? null : { graphName: within[0], selection: { kind: 'node', id: path } };
}

export function placeOf(flow: Flow, name: string): Place | null {
  const [from, to] = name.split(' -> ');
  if (from === undefined || to === undefined) return placeOfNode(flow, name);
  if (from === 'everywhere') {
    const at = (flow.globals ?? []).findIndex((edge) => edge.to === to);
    return at < 0 ? null : { graphName: '', selection: { kind: 'global', at } };
  }
  const [source, target] = [from.endsWith(JOIN) ? from.slice(0, -JOIN.length) : from, to.split('.').at(-1)];
  const place = placeOfNode(flow, source);
  const names = place === null ? ['', ...Object.keys(flow.subflows ?? {})] : [place.graphName];
  const id = source.split('.').at(-1);
  for (const graphName of names) {
    const at = graphOf(flow, graphName).edges.findIndex((edge) => edge.from === id && edge.to === target);
    if (at >= 0) return { graphName, selection: { kind: 'edge', at } };
  }
  return place;
}
