import {
  conditionOf,
  type Edge,
  type Flow,
  type FlowNode,
  type GlobalEdge,
  type Graph,
  type When,
} from './schema.ts';

function whenText(when: When | undefined): string {
  const condition = conditionOf(when);
  switch (condition) {
    case 'slot':
      return `${[when?.slot ?? []].flat().join(', ')} filled`;
    case 'rule':
      return ruleText(when?.rule);
    case 'attempts':
      return 'attempts used up';
    case 'otherwise':
      return 'otherwise';
    case 'silence':
      return `silent ${when?.silence} times`;
    default:
      return `${condition} ${String(when?.[condition])}`;
  }
}

function ruleText(rule: When['rule']): string {
  if (rule === undefined) return '';
  if ('all' in rule) return rule.all.map(ruleText).join(' and ');
  if ('any' in rule) return rule.any.map(ruleText).join(' or ');
  if ('not' in rule) return `not (${ruleText(rule.not)})`;
  const { value, ...tests } = rule;
  return Object.entries(tests)
    .map(([name, other]) => `${value} ${name.replaceAll('_', ' ')} ${String(other)}`)
    .join(' and ');
}

function depths({ start, nodes, edges }: Graph, globals: readonly GlobalEdge[] = []): Map<string, number> {
  const found = new Map<string, number>([[start, 0]]);
  const grow = (): void => {
    for (let depth = 0, grew = true; grew; depth++) {
      grew = false;
      for (const { from, to } of edges)
        if (found.get(from) === depth && !found.has(to) && !to.startsWith('$')) {
          found.set(to, depth + 1);
          grew = true;
        }
      grew ||= [...found.values()].some((one) => one > depth);
    }
  };
  grow();
  for (const { to } of globals) if (!found.has(to) && !to.startsWith('$')) found.set(to, 1);
  grow();
  const last = Math.max(...found.values()) + 1;
  for (const { id } of nodes) if (!found.has(id)) found.set(id, last);
  return found;
}

const inLayers = (graph: Graph, globals?: readonly GlobalEdge[]): FlowNode[][] => {
  const depth = depths(graph, globals);
  const layers: FlowNode[][] = [];
  for (const node of graph.nodes) {
    const at = depth.get(node.id) ?? 0;
    layers[at] = [...(layers[at] ?? []), node];
  }
  return layers.filter((layer) => layer !== undefined);
};

export function flowText(flow: Flow): string {
  const lines = graphLines(flow, flow.globals);
  if (flow.globals !== undefined && flow.globals.length > 0)
    lines.push('everywhere', ...edgeLines(flow.globals));
  for (const [name, graph] of Object.entries(flow.subflows ?? {}))
    lines.push('', `subflow ${name}`, ...graphLines(graph));
  return lines.join('\n');
}

function graphLines(graph: Graph, globals?: readonly GlobalEdge[]): string[] {
  return inLayers(graph, globals)
    .flat()
    .flatMap((node) => [
      `${node.id === graph.start ? '▶' : '●'} ${node.id}  ${node.type}${node.required === true ? ', required' : ''}${node.label === undefined ? '' : `  “${node.label}”`}`,
      ...edgeLines(graph.edges.filter(({ from }) => from === node.id)),
    ]);
}

const edgeLines = (edges: readonly Omit<Edge, 'from'>[]): string[] =>
  edges.map(({ to, when }, at) => `  ${at === edges.length - 1 ? '└' : '├'}─ ${whenText(when)} → ${to}`);

const BOX = { width: 190, height: 44, across: 70, down: 70, margin: 30 };
const MOST_LABEL = 26;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const short = (text: string): string =>
  text.length > MOST_LABEL ? `${text.slice(0, MOST_LABEL - 1)}…` : text;

/** Draws the flow as an image: a row for each step from the start, with global edges below. */
export function flowSvg(flow: Flow): string {
  const layers = inLayers(flow, flow.globals);
  const { width, height, across, down, margin } = BOX;
  const places = new Map<string, { readonly x: number; readonly y: number }>();
  for (const [row, layer] of layers.entries())
    for (const [at, { id }] of layer.entries())
      places.set(id, { x: margin + at * (width + across), y: margin + row * (height + down) });
  const widest = Math.max(...layers.map((layer) => layer.length));
  const globals = flow.globals ?? [];
  const wide = 2 * margin + widest * (width + across);
  const high = 2 * margin + layers.length * (height + down) + globals.length * 18;
  const edges = flow.edges.flatMap((edge) => edgeShape(edge, places));
  const boxes = flow.nodes.flatMap((node) => {
    const place = places.get(node.id);
    return place === undefined ? [] : [boxShape(node, place, node.id === flow.start)];
  });
  const below = globals.map(
    ({ to, when }, at) =>
      `<text x="${margin}" y="${high - margin - at * 18}">everywhere: ${escaped(whenText(when))} → ${escaped(to)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}" font-family="system-ui, sans-serif" font-size="12">`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#667"/></marker></defs>',
    `<rect width="${wide}" height="${high}" fill="#fff"/>`,
    ...edges,
    ...boxes,
    ...below,
    '</svg>',
    '',
  ].join('\n');
}

type Place = { readonly x: number; readonly y: number };

function boxShape({ id, type, required }: FlowNode, { x, y }: Place, isStart: boolean): string {
  const stroke = required === true ? '#b3400e' : isStart ? '#1d6f42' : '#667';
  return (
    `<g><rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="7" fill="#f6f7f9" stroke="${stroke}" stroke-width="${required === true || isStart ? 2 : 1}"/>` +
    `<text x="${x + 10}" y="${y + 18}" font-weight="600">${escaped(short(id))}</text>` +
    `<text x="${x + 10}" y="${y + 35}" fill="#556">${type}${required === true ? ', required' : ''}</text></g>`
  );
}

function edgeShape({ from, to, when }: Edge, places: ReadonlyMap<string, Place>): string[] {
  const [start, end] = [places.get(from), places.get(to)];
  if (start === undefined || end === undefined) return [];
  const { width, height } = BOX;
  const isDown = end.y > start.y;
  const a = isDown
    ? { x: start.x + width / 2, y: start.y + height }
    : { x: start.x + width, y: start.y + height / 2 };
  const b = isDown ? { x: end.x + width / 2, y: end.y } : { x: end.x + width, y: end.y + height / 2 };
  const bend = isDown
    ? `C${a.x} ${a.y + 30} ${b.x} ${b.y - 30} ${b.x} ${b.y}`
    : `C${a.x + 50} ${a.y} ${b.x + 50} ${b.y} ${b.x} ${b.y}`;
  const label = { x: (a.x + b.x) / 2 + (isDown ? 4 : 24), y: (a.y + b.y) / 2 };
  return [
    `<path d="M${a.x} ${a.y}${bend}" fill="none" stroke="#667" marker-end="url(#head)"/>` +
      `<text x="${label.x}" y="${label.y}" fill="#334" font-size="11">${escaped(short(whenText(when)))}</text>`,
  ];
}
