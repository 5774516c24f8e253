import type { CompiledNode, FlowEngine, FlowState } from '../flows/index.ts';
import { type AnswerTerms, quoteContext, type SessionTool } from '../session/index.ts';

export const EXIT_TOOL = 'next_step';
const MESSAGES = 8;
const EXIT_MS = 1_000;

export interface TermsOrder {
  readonly engine: FlowEngine;
  readonly state: FlowState;
  readonly persona: string;
  readonly query: string | null;
  readonly exit: SessionTool['act'];
  readonly refused: (wanted: string) => void;
}

/** The model sees one step: its instruction, its tools and its exits, and none of the others. */
export function termsOf({ engine, state, persona, query, exit, refused }: TermsOrder): AnswerTerms {
  const node = engine.nodeOf(state);
  const exits = engine.exits(state);
  const names = exits.map(({ name }) => name);
  const own: SessionTool[] =
    names.length === 0
      ? []
      : [
          {
            name: EXIT_TOOL,
            description: 'Go on as soon as it is clear what the caller wants.',
            parameters: {
              type: 'object',
              properties: { wants: { enum: names } },
              required: ['wants'],
              additionalProperties: false,
            },
            problem: ({ wants }) => {
              if (names.some((name) => name === wants)) return null;
              refused(String(wants).slice(0, 64));
              return `wants is one of ${names.join(', ')}`;
            },
            timeoutMs: EXIT_MS,
            filler: null,
            ...(exit === undefined ? {} : { act: exit }),
          },
        ];
  return {
    persona: [engine.flow.persona ?? persona, ...stepLines(node), ...exitLines(exits), ...knownLines(state)]
      .filter((line) => line !== '')
      .join('\n'),
    tools: node.type === 'join' ? [] : (node.tools ?? []),
    own,
    refusal: (tool) => {
      refused(tool);
      return engine.refusal(state, tool);
    },
    query: node.type === 'knowledge' ? (query ?? '') : null,
    messages: MESSAGES,
    ...topicsOf(node),
  };
}

/** The step's own instruction may lead the model to more than its topics name. */
function topicsOf(node: CompiledNode): Pick<AnswerTerms, 'topics'> {
  if (node.type === 'join') return {};
  const { id, topics = [], instruction } = node;
  if (topics.length === 0) return {};
  const about = instruction === undefined ? topics : [...topics, instruction];
  return { topics: { rule: `flow/${id}/topics`, about } };
}

function stepLines(node: CompiledNode): string[] {
  if (node.type === 'join') return [];
  const { instruction, topics = [] } = node;
  const step =
    instruction ?? 'Answer the caller in one sentence, and lead them back to what you asked or said last.';
  return [`Now: ${step}`, ...(topics.length === 0 ? [] : [`Talk of nothing but: ${topics.join(', ')}.`])];
}

const exitLines = (exits: ReturnType<FlowEngine['exits']>): string[] =>
  exits.length === 0
    ? []
    : [
        `Call ${EXIT_TOOL} where the caller wants one of these:`,
        ...exits.map(({ name, description }) =>
          description === null ? `- ${name}` : `- ${name}: ${description}`,
        ),
      ];

/** The caller's values are data and never instructions, whatever they contain. */
function knownLines({ values }: FlowState): string[] {
  const known = Object.entries(values).filter(
    ([name, value]) => name !== 'meta' && name !== 'result' && value !== null,
  );
  if (known.length === 0) return [];
  return [quoteContext(`Known: ${known.map(([name, value]) => `${name}=${shown(value)}`).join('; ')}`)];
}

const MOST_SHOWN = 300;
const shown = (value: unknown): string =>
  (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, MOST_SHOWN);
