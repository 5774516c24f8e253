import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { RECORD_KINDS } from '../../language/capture/index.ts';
import { type CompiledFlow, type CompiledNode, compile, SubflowError } from './compile.ts';
import { ENDS, isCallers, mayPass, needsOf, reached, reachedWithout, TALKS, waits } from './graph.ts';
import { namesIn, placesIn } from './rules.ts';
import {
  BACK,
  CONDITIONS,
  type Condition,
  conditionOf,
  type Edge,
  type Flow,
  type FlowNode,
  type Graph,
  NODE_TYPES,
  NODES,
  type NodeType,
  PARTS,
  REPEAT,
  RULE,
  type Slot,
} from './schema.ts';

export interface Problem {
  /** The node, or an edge as `from -> to`; '' means the flow as a whole. */
  readonly node: string;
  readonly code: ProblemCode;
  readonly detail: string;
}

export const PROBLEM_CODES = [
  'invalid',
  'duplicate_node',
  'duplicate_slot',
  'duplicate_intent',
  'unknown_node',
  'unknown_tool',
  'unknown_slot',
  'unknown_agent',
  'unknown_subflow',
  'unknown_answer',
  'bad_condition',
  'unreachable',
  'dead_end',
  'endless_loop',
  'no_failure_exit',
  'no_otherwise',
  'nothing_to_say',
  'skips_required',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

export interface Surroundings {
  /** Null skips the checks of tool names. */
  readonly tools: ReadonlySet<string> | null;
  /** Null skips the checks of agent ids. */
  readonly agents: ReadonlySet<string> | null;
  /** Without it, names of lookups are not checked. */
  readonly lookups?: ReadonlySet<string>;
}

export const NOTHING_KNOWN: Surroundings = { tools: null, agents: null };

export interface CheckedFlow {
  /** It is null where the flow does not match its schema. */
  readonly flow: Flow | null;
  readonly problems: readonly Problem[];
}

const ajv = new Ajv2020({ strict: false, allErrors: false });
const compiled = (schema: object): ValidateFunction => ajv.compile({ ...schema, $defs: { rule: RULE } });
const lazily = <T>(make: () => T): (() => T) => {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};
const compiledOnce = (make: (type: NodeType) => ValidateFunction) => {
  const made = new Map<NodeType, ValidateFunction>();
  return (type: NodeType): ValidateFunction => {
    const check = made.get(type) ?? make(type);
    made.set(type, check);
    return check;
  };
};
const VALIDATORS = lazily(() => ({
  flow: compiled(PARTS.flow),
  edge: compiled(PARTS.edge),
  global: compiled(PARTS.global),
  node: compiledOnce((type: NodeType) => compiled(NODES[type])),
}));

export function checkFlow(document: unknown, surroundings: Surroundings = NOTHING_KNOWN): CheckedFlow {
  const shape = shapeProblems(document);
  if (shape.length > 0) return { flow: null, problems: shape };
  const flow = document as Flow;
  const graphs = [flow, ...Object.values(flow.subflows ?? {})];
  const named = [
    ...phraseProblems(graphs, flow),
    ...innerEndProblems(flow),
    ...graphs.flatMap(namesProblems),
  ];
  if (named.length > 0) return { flow, problems: named };
  try {
    const whole = compile(flow);
    const problems = [
      ...contentProblems(whole, surroundings),
      ...graphProblems(whole),
      ...unusedSubflows(flow),
    ];
    return { flow, problems };
  } catch (error) {
    if (!(error instanceof SubflowError)) throw error;
    return { flow, problems: [{ node: error.node, code: 'unknown_subflow', detail: error.message }] };
  }
}

function unusedSubflows({ nodes, subflows = {} }: Flow): Problem[] {
  const used = new Set<string>();
  const use = (of: Flow['nodes']): void => {
    for (const node of of) {
      if (node.type !== 'subflow' || used.has(node.flow)) continue;
      used.add(node.flow);
      use(subflows[node.flow]?.nodes ?? []);
    }
  };
  use(nodes);
  return Object.keys(subflows)
    .filter((name) => !used.has(name))
    .map((name) => ({ node: name, code: 'unreachable', detail: 'no subflow node uses this subflow' }));
}

/** Phrases are compared with each utterance of a call. */
const MOST_PHRASES = 5_000;

function phraseProblems(graphs: readonly Graph[], { globals = [] }: Flow): Problem[] {
  const edges = [...graphs.flatMap((graph) => graph.edges), ...globals];
  const count = edges.reduce((sum, { when }) => sum + (when?.phrases?.length ?? 0), 0);
  return count <= MOST_PHRASES
    ? []
    : [invalid('', `a flow may have at most ${MOST_PHRASES} phrases; this flow has ${count}`)];
}

const INNER_END = ['say', 'instruction', 'required', 'requires'] as const;

/** The call goes on behind the subflow, so the words of an inner end would be lost. */
function innerEndProblems({ subflows = {} }: Flow): Problem[] {
  return Object.values(subflows)
    .flatMap(({ nodes }) => nodes)
    .filter((node) => node.type === 'end' && INNER_END.some((field) => node[field] !== undefined))
    .map(({ id }) =>
      invalid(
        id,
        `an end node of a subflow must not have ${INNER_END.join(', ')}; put them in a node before it`,
      ),
    );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Validates each part by itself, so that every wrong part is named. */
function shapeProblems(document: unknown): Problem[] {
  if (!isObject(document)) return [invalid('', 'a flow must be an object with start, nodes and edges')];
  const subflows = isObject(document.subflows) ? Object.values(document.subflows) : [];
  const problems = [document, ...subflows].flatMap(partProblems);
  if (problems.length > 0) return problems;
  const { flow } = VALIDATORS();
  return flow(document) ? [] : [invalid('', errorText(flow.errors))];
}

function partProblems(graph: unknown): Problem[] {
  if (!isObject(graph)) return [];
  const { node: checkOf, edge, global } = VALIDATORS();
  const problems: Problem[] = [];
  for (const [at, node] of listOf(graph.nodes).entries()) {
    const name = isObject(node) && typeof node.id === 'string' ? node.id : `nodes.${at}`;
    const type = isObject(node) ? NODE_TYPES.find((one) => one === node.type) : undefined;
    if (type === undefined) problems.push(invalid(name, `type must be one of ${NODE_TYPES.join(', ')}`));
    else if (!checkOf(type)(node)) problems.push(invalid(name, errorText(checkOf(type).errors)));
  }
  const named = (one: unknown, at: number, from: string): string =>
    isObject(one) && typeof one.to === 'string' ? `${String(one.from ?? from)} -> ${one.to}` : `edges.${at}`;
  for (const [at, one] of listOf(graph.edges).entries())
    if (!edge(one)) problems.push(invalid(named(one, at, '?'), errorText(edge.errors)));
  for (const [at, one] of listOf(graph.globals).entries())
    if (!global(one)) problems.push(invalid(named(one, at, 'everywhere'), errorText(global.errors)));
  return problems;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const invalid = (node: string, detail: string): Problem => ({ node, code: 'invalid', detail });

function errorText(errors: ValidateFunction['errors']): string {
  const error = errors?.find(({ keyword }) => keyword !== 'anyOf') ?? errors?.[0];
  if (error === undefined) return 'the document does not match the schema of a flow';
  const field = error.instancePath.slice(1).replaceAll('/', '.');
  return `${field === '' ? '' : `${field} `}${wordsOf(error)}`;
}

function wordsOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'additionalProperties') return `must not have the field ${params.additionalProperty}`;
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  return message ?? 'is not valid';
}

function namesProblems(graph: Graph): Problem[] {
  const ids = graph.nodes.map(({ id }) => id);
  const known = new Set(ids);
  const problems: Problem[] = [];
  for (const id of ids.filter((one, at) => ids.indexOf(one) !== at))
    problems.push({ node: id, code: 'duplicate_node', detail: 'two nodes have this id' });
  if (!known.has(graph.start))
    problems.push({ node: graph.start, code: 'unknown_node', detail: 'the start node does not exist' });
  for (const { from, to } of graph.edges) {
    const node = `${from} -> ${to}`;
    if (!known.has(from)) problems.push({ node, code: 'unknown_node', detail: `there is no node ${from}` });
    if (!known.has(to) && to !== BACK)
      problems.push({ node, code: 'unknown_node', detail: `there is no node ${to}` });
  }
  for (const { id, requires } of graph.nodes)
    for (const required of requires ?? [])
      if (!known.has(required))
        problems.push({
          node: id,
          code: 'unknown_node',
          detail: `requires names a node that does not exist: ${required}`,
        });
  for (const { to } of (graph as Flow).globals ?? [])
    if (!known.has(to) && to !== REPEAT)
      problems.push({ node: `everywhere -> ${to}`, code: 'unknown_node', detail: `there is no node ${to}` });
  return problems;
}

const CALLERS: readonly Condition[] = ['intent', 'silence', 'key', 'attempts', 'language'];
const ALLOWED: Readonly<Record<CompiledNode['type'], readonly Condition[]>> = {
  say: ['slot', 'rule', 'otherwise', ...CALLERS],
  knowledge: ['slot', 'rule', 'otherwise', ...CALLERS],
  ask: ['slot', 'rule', 'otherwise', ...CALLERS],
  decide: ['slot', 'rule', 'answer', 'otherwise'],
  tool: ['slot', 'rule', 'result', 'otherwise'],
  message: ['slot', 'rule', 'result', 'otherwise'],
  wait: ['slot', 'rule', 'result', 'otherwise', ...CALLERS],
  handoff: ['slot', 'rule', 'result', 'otherwise'],
  subflow: ['otherwise'],
  join: ['slot', 'rule', 'otherwise'],
  transfer: [],
  end: [],
};
const IN_GLOBALS: readonly Condition[] = ['intent', 'key', 'silence', 'rule', 'language'];

/**
 * A flow can read these names without asking: the last tool's result, the call's metadata, the caller and the
 * language.
 */
const GIVEN = ['result', 'meta', 'caller', 'language'];

function contentProblems(flow: CompiledFlow, surroundings: Surroundings): Problem[] {
  const problems: Problem[] = [];
  const slots = new Map<string, string>();
  const saved: string[] = [];
  for (const node of flow.nodes.values()) {
    if (node.type === 'tool' && node.save !== undefined) saved.push(node.save);
    if (node.type !== 'ask') continue;
    for (const slot of node.slots) {
      const { name, kind, options, confirm } = slot;
      problems.push(...lookupProblems(node.id, slot, surroundings));
      if (kind === 'choice' && options === undefined)
        problems.push({
          node: node.id,
          code: 'invalid',
          detail: `the slot ${name} is of kind choice and needs options`,
        });
      if (confirm !== undefined && (kind === 'choice' || kind === 'text'))
        problems.push({
          node: node.id,
          code: 'invalid',
          detail: `the slot ${name} is of kind ${kind}, so it cannot have confirm`,
        });
      const other = slots.get(name);
      if (other !== undefined && other !== kind)
        problems.push({
          node: node.id,
          code: 'duplicate_slot',
          detail: `the slot ${name} is of kind ${other} in another node and of kind ${kind} here`,
        });
      slots.set(name, kind);
    }
  }
  const known = new Set([...slots.keys(), ...saved, ...GIVEN]);
  for (const node of flow.nodes.values()) problems.push(...nodeProblems(node, known, surroundings));
  for (const edge of [...flow.edges.values()].flat())
    problems.push(...edgeProblems(edge, flow, { slots: new Set(slots.keys()), known }));
  for (const [from, edges] of [...flow.edges, ['everywhere', flow.globals] as const])
    problems.push(...intentProblems(from, edges));
  for (const { to, when } of flow.globals) {
    const edge = { from: 'everywhere', to, when };
    if (!IN_GLOBALS.includes(conditionOf(when)))
      problems.push(
        badCondition(edge, `the condition of a global edge must be one of ${IN_GLOBALS.join(', ')}`),
      );
    problems.push(...whenProblems(edge, { slots: new Set(slots.keys()), known }));
  }
  return problems;
}

function lookupProblems(node: string, { name, kind, lookup }: Slot, { lookups }: Surroundings): Problem[] {
  if (lookup === undefined) return [];
  if (!RECORD_KINDS.some((one) => one === kind))
    return [
      {
        node,
        code: 'invalid',
        detail: `the slot ${name} is of kind ${kind}; only ${RECORD_KINDS.join(', ')} can have a lookup`,
      },
    ];
  if (lookups === undefined || lookups.has(lookup)) return [];
  return [
    {
      node,
      code: 'invalid',
      detail: `the slot ${name} names the lookup ${lookup}, which the agent does not have`,
    },
  ];
}

/** The model names an intent, so that one name has one edge. */
function intentProblems(node: string, edges: readonly Pick<Edge, 'when'>[]): Problem[] {
  const intents = edges.flatMap(({ when }) => when?.intent ?? []);
  const twice = new Set(intents.filter((one, at) => intents.indexOf(one) !== at));
  return [...twice].map((intent) => ({
    node,
    code: 'duplicate_intent',
    detail: `two edges have the intent ${intent}; give each edge its own intent`,
  }));
}

const NODE_OF_TOOL: ReadonlyMap<string, NodeType> = new Map([
  ['end_call', 'end'],
  ['transfer', 'transfer'],
  ['handoff', 'handoff'],
  ['wait_for', 'wait'],
  ['capture', 'ask'],
  ['send_message', 'message'],
]);

function nodeProblems(node: CompiledNode, known: ReadonlySet<string>, surroundings: Surroundings): Problem[] {
  if (node.type === 'join') return [];
  const problems: Problem[] = [];
  const { tools, agents } = surroundings;
  const named = [...(node.tools ?? []), ...(node.type === 'tool' ? [node.tool] : [])];
  for (const name of named)
    if (tools !== null && !tools.has(name))
      problems.push({ node: node.id, code: 'unknown_tool', detail: `the agent has no tool ${name}` });
  if (node.tools?.includes('handoff'))
    problems.push({
      node: node.id,
      code: 'invalid',
      detail: 'tools must not contain handoff; use a node of type handoff',
    });
  const instead = node.type === 'tool' ? NODE_OF_TOOL.get(node.tool) : undefined;
  if (instead !== undefined)
    problems.push({
      node: node.id,
      code: 'invalid',
      detail: `a tool node must not call ${named.at(-1)}; use a node of type ${instead}`,
    });
  for (const name of node.type === 'handoff' ? (node.slots ?? []) : [])
    if (!known.has(name))
      problems.push({
        node: node.id,
        code: 'unknown_slot',
        detail: `slots names ${name}, which no node sets`,
      });
  if (node.type === 'handoff' && agents !== null && !agents.has(node.agent_id))
    problems.push({ node: node.id, code: 'unknown_agent', detail: `there is no agent ${node.agent_id}` });
  if (
    node.type === 'say' &&
    node.say === undefined &&
    (node.instruction === undefined || node.required === true)
  )
    problems.push({
      node: node.id,
      code: 'nothing_to_say',
      detail:
        node.required === true ? 'a required node must have say' : 'the node must have say or instruction',
    });
  problems.push(
    ...fieldProblems(node).map((detail): Problem => ({ node: node.id, code: 'invalid', detail })),
  );
  for (const text of textsOf(node))
    for (const place of placesIn(text)) {
      const [root = ''] = place.split('.');
      if (!known.has(root))
        problems.push({
          node: node.id,
          code: 'unknown_slot',
          detail: `{${place}} is neither a slot nor a variable`,
        });
    }
  return problems;
}

function fieldProblems(node: FlowNode): string[] {
  if (node.type === 'wait' && node.until === undefined && node.seconds === undefined)
    return ['a wait node must have until, seconds or both'];
  if (node.type !== 'transfer') return [];
  const problems: string[] = [];
  if (node.kind !== 'queue' && (node.also !== undefined || node.wait_seconds !== undefined))
    problems.push('also and wait_seconds are allowed only in a transfer of kind queue');
  if (node.kind === 'cold' && node.agent !== undefined && node.agent !== 'leaves')
    problems.push(
      'agent is allowed only in transfers of kind warm and queue; in a cold transfer the agent leaves the call',
    );
  return problems;
}

function textsOf(node: FlowNode): string[] {
  const say = 'say' in node && node.say !== undefined ? [node.say] : [];
  const asked =
    node.type === 'ask' ? node.slots.flatMap(({ label, prompt }) => [label ?? [], prompt ?? []].flat()) : [];
  const words = [...say, ...asked].flatMap((one) => (typeof one === 'string' ? [one] : Object.values(one)));
  if (node.type === 'decide') return [...words, node.question ?? ''];
  if (node.type === 'tool') return [...words, ...stringsIn(node.arguments ?? {})];
  if (node.type === 'message') return [...words, node.body];
  if (node.type === 'transfer') return [...words, node.summary ?? ''];
  if (node.type === 'knowledge') return [...words, node.query ?? ''];
  return words;
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

interface Names {
  readonly slots: ReadonlySet<string>;
  readonly known: ReadonlySet<string>;
}

const nameOf = ({ from, to }: Edge): string => `${from} -> ${to}`;
const badCondition = (edge: Edge, detail: string): Problem => ({
  node: nameOf(edge),
  code: 'bad_condition',
  detail,
});

function edgeProblems(edge: Edge, flow: CompiledFlow, names: Names): Problem[] {
  const node = flow.nodes.get(edge.from);
  if (node === undefined) return [];
  const condition = conditionOf(edge.when);
  const problems = whenProblems(edge, names);
  const allowed = ALLOWED[node.type];
  if (!allowed.includes(condition))
    problems.push(
      badCondition(
        edge,
        allowed.length === 0
          ? `a node of type ${node.type} must not have an edge`
          : `an edge from a node of type ${node.type} may have the condition ${allowed.join(', ')}, not ${condition}`,
      ),
    );
  const { answer } = edge.when ?? {};
  if (answer !== undefined && node.type === 'decide' && node.answers?.includes(answer) !== true)
    problems.push({
      node: nameOf(edge),
      code: 'unknown_answer',
      detail: `answers of ${node.id} does not contain ${answer}`,
    });
  return problems;
}

function whenProblems(edge: Edge, { slots, known }: Names): Problem[] {
  const { when } = edge;
  if (when === undefined) return [];
  const problems: Problem[] = [];
  const given = CONDITIONS.filter((name) => when[name] !== undefined);
  if (given.length !== 1)
    problems.push(badCondition(edge, `when must have exactly one of ${CONDITIONS.join(', ')}`));
  if (when.intent === undefined && (when.phrases !== undefined || when.description !== undefined))
    problems.push(badCondition(edge, 'phrases and description are allowed only with intent'));
  for (const slot of [when.slot ?? []].flat())
    if (!slots.has(slot))
      problems.push({
        node: nameOf(edge),
        code: 'unknown_slot',
        detail: `no node asks for the slot ${slot}`,
      });
  for (const name of when.rule === undefined ? [] : namesIn(when.rule)) {
    const [root = ''] = name.split('.');
    if (!known.has(name) && !known.has(root))
      problems.push({
        node: nameOf(edge),
        code: 'unknown_slot',
        detail: `the rule uses ${name}, which no node sets`,
      });
  }
  return problems;
}

function graphProblems(flow: CompiledFlow): Problem[] {
  const found = reached(flow);
  const problems: Problem[] = [];
  const waiting = new Set(
    [...flow.nodes.values()].filter((node) => waits(node, flow.edges.get(node.id) ?? [])).map(({ id }) => id),
  );
  const ending = endingNodes(flow, waiting);
  const spinning = spinningNodes(flow, waiting);
  for (const node of flow.nodes.values()) {
    const { id, type } = node;
    if (type === 'join') continue;
    const out = flow.edges.get(id) ?? [];
    if (!found.has(id))
      problems.push({ node: id, code: 'unreachable', detail: 'no edge leads to this node' });
    else if (out.length === 0 && !ENDS.has(type) && type !== 'handoff')
      problems.push({
        node: id,
        code: 'dead_end',
        detail: `the node has no outgoing edge; only nodes of type ${[...ENDS].join(' or ')} end a call`,
      });
    else if (!ending.has(id))
      problems.push({ node: id, code: 'endless_loop', detail: 'no path from this node leads to an end' });
    else if (spinning.has(id))
      problems.push({
        node: id,
        code: 'endless_loop',
        detail:
          'this node is part of a loop that never waits for the caller; set max_visits on one of its nodes',
      });
    problems.push(...exitProblems(node, out));
  }
  return [...problems, ...requiredProblems(flow)];
}

/**
 * Finds the nodes from which a call can end. A global edge can leave any node in which the caller is heard. `$back`
 * leads out of every node but the first, which nothing led to.
 */
function endingNodes(flow: CompiledFlow, waiting: ReadonlySet<string>): Set<string> {
  const before = new Map<string, string[]>();
  const left: string[] = [];
  for (const { id, type } of flow.nodes.values()) {
    const out = flow.edges.get(id) ?? [];
    for (const { to } of out) {
      const known = before.get(to);
      if (known === undefined) before.set(to, [id]);
      else known.push(id);
    }
    const isBack = id !== flow.start && out.some(({ to }) => to === BACK);
    if (ENDS.has(type) || (type === 'handoff' && out.length === 0) || isBack) left.push(id);
  }
  const ends = new Set(left);
  const add = (id: string): void => {
    if (ends.has(id)) return;
    ends.add(id);
    left.push(id);
  };
  let isOpen = false;
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    for (const one of before.get(id) ?? []) add(one);
    if (isOpen || !flow.globals.some(({ to }) => to === id)) continue;
    isOpen = true;
    for (const one of waiting) add(one);
  }
  return ends;
}

/**
 * Finds the loops through nodes that wait for nothing and have no limit of visits, as the strongly connected components
 * of the graph of those nodes (Tarjan), so that a large flow is checked in linear time.
 */
function spinningNodes(flow: CompiledFlow, waiting: ReadonlySet<string>): ReadonlySet<string> {
  const runs = (id: string): boolean => {
    const node = flow.nodes.get(id);
    if (node === undefined || waiting.has(id)) return false;
    return node.type === 'join' || node.max_visits === undefined;
  };
  const next = (id: string): string[] =>
    (flow.edges.get(id) ?? []).map(({ to }) => to).filter((to) => runs(to));
  const spinning = new Set<string>();
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  for (const root of flow.nodes.keys()) {
    if (!runs(root) || order.has(root)) continue;
    const trail: { id: string; left: string[] }[] = [];
    const visit = (id: string): void => {
      order.set(id, order.size);
      lowest.set(id, order.get(id) as number);
      open.push(id);
      isOpen.add(id);
      trail.push({ id, left: next(id) });
    };
    visit(root);
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const { id, left } = top;
      const to = left.pop();
      if (to !== undefined) {
        if (!order.has(to)) visit(to);
        else if (isOpen.has(to)) lowest.set(id, Math.min(lowest.get(id) as number, order.get(to) as number));
        continue;
      }
      trail.pop();
      const above = trail.at(-1);
      if (above !== undefined)
        lowest.set(above.id, Math.min(lowest.get(above.id) as number, lowest.get(id) as number));
      if (lowest.get(id) !== order.get(id)) continue;
      const together = open.splice(open.lastIndexOf(id));
      for (const one of together) isOpen.delete(one);
      if (together.length > 1 || next(id).includes(id)) for (const one of together) spinning.add(one);
    }
  }
  return spinning;
}

function exitProblems(node: CompiledNode, out: readonly Edge[]): Problem[] {
  const has = (wanted: (edge: Edge) => boolean): boolean => out.some(wanted);
  const otherwise = has(({ when }) => when === undefined);
  const { id, type } = node;
  if (out.length === 0) return [];
  const problems: Problem[] = [];
  if (type === 'ask' && !has(({ when }) => when?.attempts === true))
    problems.push({
      node: id,
      code: 'no_failure_exit',
      detail: 'add an edge with attempts for a caller who does not answer',
    });
  if ((type === 'tool' || type === 'message') && !has(({ when }) => when?.result === 'failed'))
    problems.push({
      node: id,
      code: 'no_failure_exit',
      detail: 'add an edge with result: failed for the case that the node fails',
    });
  const mayWaitInVain = node.type === 'wait' && node.until !== undefined && node.seconds !== undefined;
  if (mayWaitInVain && !has(({ when }) => when?.result === 'failed' || when?.attempts === true))
    problems.push({
      node: id,
      code: 'no_failure_exit',
      detail: 'add an edge with result: failed for the case that the wait times out',
    });
  const settled =
    type === 'ask'
      ? has((edge) => edge.when?.slot !== undefined && mayPass(node, edge))
      : has(({ when }) => when?.result === 'ok');
  const isCallersNode = TALKS.has(type) && isCallers(out);
  if (!otherwise && !settled && !isCallersNode && type !== 'wait' && type !== 'handoff')
    problems.push({
      node: id,
      code: 'no_otherwise',
      detail: 'add an edge without when for the case that no other condition holds',
    });
  return problems;
}

function requiredProblems(flow: CompiledFlow): Problem[] {
  const problems: Problem[] = [];
  const without = new Map<string, Set<string>>();
  for (const [id, needs] of needsOf(flow))
    for (const required of needs) {
      const found = without.get(required) ?? reachedWithout(flow, required);
      without.set(required, found);
      if (found.has(id))
        problems.push({
          node: id,
          code: 'skips_required',
          detail: `a path leads to this node without passing ${required}; change its edges, or set requires to what the node needs`,
        });
    }
  return problems;
}
