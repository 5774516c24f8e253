import type { Edge, Flow, FlowNode, Slot } from '../../../conversation/flows/index.ts';
import type { ExportReader } from '../export-reader.ts';

const MAX_ID = 64;
const MAX_INTENT = 48;
const MAX_WORDS = 1000;
const MAX_INSTRUCTION = 4000;
const MAX_DESCRIPTION = 300;
const MAX_QUESTION = 1000;
const MAX_ANSWERS = 19;
const NO_ANSWER = 'none of these';
const SETTLED = 'everything is settled and the caller says goodbye';

type When = NonNullable<Edge['when']>;
type Rule = NonNullable<When['rule']>;
type DraftNode = FlowNode;

export interface Comparison {
  readonly left: string;
  readonly operator: string;
  readonly right: string | undefined;
}

class Names {
  readonly #taken = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly #plain: (original: string) => string;
  readonly #most: number;

  constructor(plain: (original: string) => string, most: number) {
    this.#plain = plain;
    this.#most = most;
  }

  of(original: string): string {
    const known = this.#taken.get(original);
    if (known !== undefined) return known;
    const plain = this.#plain(original);
    let name = plain;
    for (let number = 2; this.#used.has(name); number += 1)
      name = `${plain.slice(0, this.#most - 4).replace(/_+$/, '')}_${number}`;
    this.#taken.set(original, name);
    this.#used.add(name);
    return name;
  }
}

export function identifier(text: string): string {
  const plain = text
    .normalize('NFD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_ID);
  return /^[A-Za-z]/.test(plain) ? plain : `node_${plain}`.replace(/_$/, '').slice(0, MAX_ID);
}

/** Other platforms write `{{name}}` for `{name}`. */
export const template = (text: string): string =>
  text.replace(/\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu, (_, name: string) => `{${identifierPath(name)}}`);

const identifierPath = (path: string): string => path.split('.').map(identifier).join('.');

/** Letters outside ASCII are left out; a condition with no others is an `intent`. */
function intentName(condition: string): string {
  if (!/[A-Za-z0-9]/.test(condition.normalize('NFD'))) return 'intent';
  return identifier(condition).slice(0, MAX_INTENT).replace(/_+$/, '').toLowerCase();
}

export class FlowDraft {
  readonly changed: string[] = [];
  readonly #names = new Names(identifier, MAX_ID);
  readonly #intents = new Names(intentName, MAX_INTENT);
  readonly #nodes: DraftNode[] = [];
  readonly #edges: Edge[] = [];
  readonly #globals: { to: string; when: When }[] = [];
  readonly #slots = new Map<string, Slot[]>();
  #start = '';
  #persona = '';

  id(original: string): string {
    return this.#names.of(original);
  }

  start(original: string): void {
    this.#start = this.id(original);
  }

  persona(text: string | undefined): void {
    const said = text?.trim();
    if (said) this.#persona = [this.#persona, said].filter((part) => part !== '').join('\n\n');
  }

  change(path: string, what: string): void {
    this.changed.push(`${path}: ${what}`);
  }

  node(at: ExportReader, original: string, node: Omit<FlowNode, 'id'> & Record<string, unknown>): string {
    const id = this.id(original);
    const cut = (name: string, most: number) => {
      const text = node[name];
      if (typeof text !== 'string') return;
      if (text.length > most) this.change(`${at.path}.${name}`, `shortened to ${most} characters`);
      node[name] = template(text).slice(0, most);
    };
    cut('instruction', MAX_INSTRUCTION);
    cut('say', MAX_WORDS);
    this.#nodes.push({ id, ...node } as DraftNode);
    return id;
  }

  slots(original: string, slots: readonly Slot[]): void {
    if (slots.length > 0) this.#slots.set(this.id(original), [...slots]);
  }

  /** Edges to and from a part that is no step of a call are left out. */
  drop(original: string): void {
    const id = this.id(original);
    for (let at = this.#edges.length - 1; at >= 0; at -= 1) {
      const { from, to } = this.#edges[at] as Edge;
      if (from === id || to === id) this.#edges.splice(at, 1);
    }
  }

  edge(from: string, to: string, when?: When): void {
    this.#edges.push({ from: this.id(from), to: this.id(to), ...(when === undefined ? {} : { when }) });
  }

  intentEdge(from: string, to: string, condition: string): void {
    this.edge(from, to, this.intent(condition));
  }

  intent(condition: string): When {
    const description = template(condition.trim());
    return { intent: this.#intents.of(description), description: description.slice(0, MAX_DESCRIPTION) };
  }

  globalIntent(to: string, condition: string): void {
    this.#globals.push({ to: this.id(to), when: this.intent(condition) });
  }

  /** Returns undefined and reports the change where a comparison has no counterpart. */
  rule(at: ExportReader, comparisons: readonly Comparison[], isAny: boolean): Rule | undefined {
    const rules = comparisons.map((comparison) => ruleOf(comparison));
    if (rules.length === 0 || rules.includes(undefined)) {
      this.change(at.path, 'the comparison has no counterpart; the model decides about the edge');
      return undefined;
    }
    const whole = rules as Rule[];
    return whole.length === 1 ? (whole[0] as Rule) : isAny ? { any: whole } : { all: whole };
  }

  done(): { flow: Flow; changed: readonly string[] } {
    const nodes = this.#nodes.map((node) => {
      const slots = this.#slots.get(node.id);
      return slots !== undefined && node.type === 'say' ? this.#asking(node, slots) : node;
    });
    const added: DraftNode[] = [];
    const edges = this.#settled(nodes, added);
    const persona = this.#persona.slice(0, MAX_INSTRUCTION);
    if (persona.length < this.#persona.length)
      this.change('persona', `shortened to ${MAX_INSTRUCTION} characters`);
    const flow: Flow = {
      start: this.#start,
      ...(persona === '' ? {} : { persona }),
      nodes: [...nodes, ...added],
      edges,
      ...(this.#globals.length === 0 ? {} : { globals: this.#globals }),
    };
    return { flow, changed: this.changed };
  }

  /** The engine words the questions of an `ask` itself, so the model has no instruction there. */
  #asking({ instruction, ...node }: DraftNode & { instruction?: string }, slots: readonly Slot[]): FlowNode {
    if (instruction !== undefined)
      this.change(
        node.id,
        'the engine asks for the values in its own words; the instruction was not imported',
      );
    return { ...node, type: 'ask', slots } as FlowNode;
  }

  /**
   * Adds the exits that the engine requires: a question needs an exit for used-up attempts, a tool for its failure,
   * and a transfer has none. A step that nothing follows goes on until the caller says goodbye.
   */
  #settled(nodes: DraftNode[], added: DraftNode[]): Edge[] {
    const person = nodes.find(({ type }) => type === 'transfer') ?? nodes.find(({ type }) => type === 'end');
    const goodbye = (): string => {
      const id = this.id('$goodbye');
      if (!added.some((node) => node.id === id)) added.push({ id, type: 'end' });
      return id;
    };
    const rescue = (): string => person?.id ?? goodbye();
    return nodes.flatMap((node, at): Edge[] => {
      const edges = this.#edges.filter(({ from }) => from === node.id);
      const reported = (what: string) => this.change(node.id, what);
      switch (node.type) {
        case 'transfer':
        case 'handoff':
        case 'end':
          if (edges.length > 0)
            reported(`a node of type ${node.type} has no edges; its edges were not imported`);
          return [];
        case 'say':
          if (edges.length > 0) return edges;
          reported('nothing followed this step: the call ends when the caller says goodbye');
          return [{ from: node.id, to: goodbye(), when: this.intent(SETTLED) }];
        case 'decide': {
          const { conditions, others } = divided(edges);
          if (conditions.length === 0) return edges;
          const { question, exits } = this.#choice(node.id, conditions, '', reported);
          nodes[at] = { ...node, ...question };
          return [...others, ...exits];
        }
        case 'ask':
        case 'tool':
          if (edges.length === 0) {
            reported('nothing followed this step: the call ends there');
            edges.push({ from: node.id, to: goodbye() });
          }
          return this.#exitsOf(node, edges, { rescue, added, reported });
        default:
          return edges;
      }
    });
  }

  #exitsOf(node: FlowNode, edges: readonly Edge[], { rescue, added, reported }: Settling): Edge[] {
    const { conditions, others } = divided(edges);
    const goesOn = others.find(({ when }) => when === undefined || when.result === 'ok');
    const result = others.filter((edge) => edge !== goesOn);
    const next = goesOn?.to ?? conditions[0]?.to;
    const [only] = conditions;
    const failure: When = node.type === 'ask' ? { attempts: true } : { result: 'failed' };
    if (only === undefined || (conditions.length === 1 && goesOn === undefined)) {
      if (next !== undefined) result.unshift({ from: node.id, to: next });
      if (only !== undefined)
        reported(
          `the call continues with ${only.to} after ${node.type === 'ask' ? 'its slots are filled' : 'the tool has answered'}`,
        );
    } else {
      const id = this.id(`${node.id} next`);
      const before = node.type === 'tool' ? 'The tool has returned {result}. ' : '';
      const { question, exits } = this.#choice(id, conditions, before, reported);
      added.push({ id, type: 'decide', ...question });
      result.unshift({ from: node.id, to: id });
      result.push(...exits, { from: id, to: next as string });
      reported(`the model decides in ${id} what follows it`);
    }
    const fails = others.some(({ when }) => (failure.attempts ? when?.attempts : when?.result === 'failed'));
    if (!fails) {
      const to = rescue();
      result.push({ from: node.id, to, when: failure });
      reported(`if it fails, the call continues with ${to}`);
    }
    return result;
  }

  /** The conditions in words become the answers that the model may give to a question. */
  #choice(
    from: string,
    conditions: readonly (Edge & { readonly when: When })[],
    before: string,
    reported: (what: string) => void,
  ): { question: { question: string; answers: string[] }; exits: Edge[] } {
    const asked = conditions.slice(0, MAX_ANSWERS);
    for (const { to, when } of conditions.slice(MAX_ANSWERS))
      reported(
        `the edge to ${to} (${when.description}) was not imported: a question has ${MAX_ANSWERS} answers`,
      );
    const answers = asked.map(({ when }) => when.intent as string);
    const lines = asked.map(({ when }, at) => `- ${answers[at]}: ${when.description}`);
    const question = `${before}Which of these is true now?\n${lines.join('\n')}`;
    if (question.length > MAX_QUESTION) reported(`question shortened to ${MAX_QUESTION} characters`);
    return {
      question: { question: question.slice(0, MAX_QUESTION), answers: [...new Set([...answers, NO_ANSWER])] },
      exits: asked.map(({ to }, at) => ({ from, to, when: { answer: answers[at] as string } })),
    };
  }
}

interface Settling {
  readonly rescue: () => string;
  readonly added: DraftNode[];
  readonly reported: (what: string) => void;
}

/** Edges whose condition is in words, which a model judges, and all others. */
function divided(edges: readonly Edge[]) {
  return {
    conditions: edges.filter((edge): edge is Edge & { when: When } => edge.when?.intent !== undefined),
    others: edges.filter(({ when }) => when?.intent === undefined),
  };
}

function ruleOf({ left, operator, right }: Comparison): Rule | undefined {
  const value = identifierPath(left.replace(/^\{\{\s*|\s*\}\}$/g, ''));
  const number = right === undefined || right.trim() === '' ? Number.NaN : Number(right);
  const scalar =
    right === 'true' ? true : right === 'false' ? false : Number.isNaN(number) ? (right ?? '') : number;
  switch (operator) {
    case '==':
      return { value, is: scalar };
    case '!=':
      return { value, is_not: scalar };
    case 'exists':
      return { value, known: true };
    case 'not_exist':
      return { value, known: false };
  }
  if (Number.isNaN(number)) return undefined;
  switch (operator) {
    case '>':
      return { value, over: number };
    case '>=':
      return { value, at_least: number };
    case '<':
      return { value, under: number };
    case '<=':
      return { value, at_most: number };
  }
  return undefined;
}

export function slotsOf(
  fields: readonly {
    readonly name: string;
    readonly type: string;
    readonly description?: string | undefined;
    readonly options?: readonly string[];
  }[],
): Slot[] {
  return fields.map(({ name, type, description, options = [] }) => ({
    name: identifier(name),
    ...(options.length >= 2
      ? { kind: 'choice' as const, options: options.slice(0, 20) }
      : { kind: kindOf(name, type) }),
    label: (description?.trim() || name.replace(/[_-]+/g, ' ')).slice(0, 100),
  }));
}

function kindOf(name: string, type: string): Slot['kind'] {
  if (type === 'boolean') return 'yes_no';
  const plain = name.toLowerCase();
  if (/phone|mobile/.test(plain)) return 'phone';
  if (/e?mail/.test(plain)) return 'email';
  if (/(^|_)(first|last|full|user|customer)?_?name$/.test(plain)) return 'name';
  if (/date|birthday/.test(plain)) return 'date';
  if (/(^|_)time$/.test(plain)) return 'time';
  if (/amount|price|total/.test(plain)) return 'amount';
  if (type === 'number' || type === 'integer') return 'digits';
  return 'text';
}
