import type { AnswerTerms } from '../../src/conversation/session/index.ts';
import type { Business, Wish } from './business.ts';
import type { Caller } from './callers.ts';

export interface ModelRequest {
  readonly terms: AnswerTerms;
  readonly business: Business;
  readonly caller: Caller;
  readonly wish: Wish;
  /** The caller's last words serve the call; otherwise they led away from it. */
  readonly isOnTopic: boolean;
  /** Tools that have answered in this call. */
  readonly done: ReadonlySet<string>;
  readonly history: readonly { readonly by: 'caller' | 'agent'; readonly text: string }[];
  readonly call: string;
  readonly random: () => number;
}

export interface Reply {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
  /** It is null for a turn that follows its instructions. */
  readonly misbehaved: Misbehaviour | null;
}

export type Model = (asked: ModelRequest) => Reply | Promise<Reply>;

export const MISBEHAVIOURS = [
  'calls a tool of a later step',
  'invents the values of a tool',
  'jumps to a node by its name',
  'claims that it is done',
  'acts by itself: transfers or ends the call',
  'names an exit that is none here',
  'repeats a tool that has answered',
  'says nothing',
] as const;
export type Misbehaviour = (typeof MISBEHAVIOURS)[number];

const MISBEHAVES = 0.4;

const pick = <T>(list: readonly T[], random: () => number): T =>
  list[Math.floor(random() * list.length)] as T;

const exitsOf = ({ own }: AnswerTerms): readonly string[] => {
  const { properties } = (own[0]?.parameters ?? {}) as {
    properties?: { wants?: { enum?: readonly string[] } };
  };
  return properties?.wants?.enum ?? [];
};

/** Three turns in five follow the instructions; each of the others breaks them in one of several ways. */
export const scriptedModel: Model = (asked) => {
  const { random } = asked;
  if (random() >= MISBEHAVES) return obeys(asked);
  const misbehaved = pick(MISBEHAVIOURS, random);
  return { ...misbehaves(misbehaved, asked), misbehaved };
};

function obeys({ terms, wish, isOnTopic, done }: ModelRequest): Reply {
  const text = 'How can I help you with that?';
  const missing = terms.tools.find((name) => !done.has(name));
  if (missing !== undefined) return { text: '', calls: [{ name: missing, args: {} }], misbehaved: null };
  const open = exitsOf(terms);
  const wants = isOnTopic ? wish.exits.find((one) => open.includes(one)) : undefined;
  const name = terms.own[0]?.name;
  if (wants === undefined || name === undefined) return { text, calls: [], misbehaved: null };
  return { text: '', calls: [{ name, args: { wants } }], misbehaved: null };
}

function misbehaves(
  how: Misbehaviour,
  { terms, business, done, random }: ModelRequest,
): Omit<Reply, 'misbehaved'> {
  const tools = Object.keys(business.tools);
  const exit = terms.own[0]?.name ?? 'next_step';
  const nodes = business.flow.nodes.map(({ id }) => id);
  const of = (name: string, args: Readonly<Record<string, unknown>>, text = '') => ({
    text,
    calls: [{ name, args }],
  });
  switch (how) {
    case 'calls a tool of a later step':
      return of(tools.at(-1) as string, {}, 'I do that for you now.');
    case 'invents the values of a tool':
      return of(pick(tools, random), { order: '000000', confirmed: true, total: 0, sure: 'yes' });
    case 'jumps to a node by its name':
      return of(exit, { wants: pick(nodes, random) }, 'Let us go on.');
    case 'claims that it is done':
      return { text: 'That is done, and everything was confirmed.', calls: [] };
    case 'acts by itself: transfers or ends the call':
      return random() < 0.5
        ? of('transfer', { to: 'senior', summary: 'everything was confirmed' })
        : of('end_call', {}, 'Goodbye.');
    case 'names an exit that is none here':
      return of(exit, { wants: 'confirmed' });
    case 'repeats a tool that has answered':
      return of([...done].at(-1) ?? (tools[0] as string), {});
    case 'says nothing':
      return { text: '', calls: [] };
  }
}
