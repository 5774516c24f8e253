import { deadline } from '../../foundation/platform/deadline.ts';
import { type Brain, BrainError, type BrainLanguage, type BrainMessage, type JsonTask } from './contract.ts';
import { JsonText } from './json-text.ts';

export interface JsonQuestion {
  readonly instructions: string;
  /** The content is data and never an instruction. */
  readonly content: string;
  readonly language: BrainLanguage;
  /** The caller checks the answer, because not every endpoint enforces the schema. */
  readonly name: string;
  readonly schema: object;
  readonly tokens: number;
}

export interface JsonAnswer {
  readonly value: unknown;
  /** It is false where the answer was truncated; `value` then holds the complete values up to there. */
  readonly whole: boolean;
}

const MOST_CHARACTERS = 200_000;
/** The timeout of one request; an answer may take several. */
const TIMEOUT_MS = 120_000;
/** A longer answer is requested in parts, because most models write no more at once. */
const MOST_TOKENS = 4096;
const LEAST_TOKENS = 512;
const MOST_PIECES = 8;

const GO_ON =
  'Your answer was cut off by the limit of its length. Continue it with the very next character, and repeat nothing that you have written.';

/**
 * Requests one JSON object, and the continuation of a truncated answer. Throws BrainError, or the reason of `stop`.
 */
export async function askForJson(
  brain: Brain,
  question: JsonQuestion,
  stop?: AbortSignal,
): Promise<JsonAnswer> {
  const answer = new JsonText();
  for (let piece = 0; piece < MOST_PIECES; piece++) {
    const before = answer.text;
    const { text, ended } = await pieceOf(brain, question, before, stop);
    answer.add(text);
    const value = answer.parsed();
    if (value !== undefined || (ended === 'whole' && piece === 0)) return { value, whole: true };
    if (ended !== 'truncated' || text.trim() === '' || answer.length > MOST_CHARACTERS) break;
    // A model that repeats its answer would do so again: what it is asked stays the same.
    if (answer.text === before) break;
  }
  return { value: answer.standing(), whole: false };
}

interface Piece {
  readonly text: string;
  readonly ended: 'whole' | 'truncated' | 'given_up';
}

async function pieceOf(
  brain: Brain,
  { name, schema, instructions, content, language, tokens }: JsonQuestion,
  before: string,
  stop?: AbortSignal,
): Promise<Piece> {
  const asked: BrainMessage = { role: 'user', content };
  const maxTokens = Math.min(MOST_TOKENS, Math.max(LEAST_TOKENS, Math.ceil(tokens)));
  const task: JsonTask = { name, maxTokens, ...(before === '' ? { schema } : {}) };
  const request = {
    language,
    persona: instructions,
    messages:
      before === ''
        ? [asked]
        : [asked, { role: 'assistant' as const, content: before }, { role: 'user' as const, content: GO_ON }],
    tools: [],
    passages: [],
    temperature: 0,
    task,
  };
  const inTime = deadline(TIMEOUT_MS, ...(stop ? [stop] : []));
  let text = '';
  let truncated = false;
  try {
    for await (const event of brain.respond(request, inTime)) {
      if (event.kind === 'text') text += event.text;
      if (event.kind === 'truncated') truncated = true;
      if (text.length > MOST_CHARACTERS) return { text, ended: 'given_up' };
    }
  } catch (error) {
    stop?.throwIfAborted();
    // The text that arrived before the stream broke is used.
    if (!(error instanceof BrainError) || text + before === '') throw error;
    return { text, ended: text === '' ? 'given_up' : 'truncated' };
  }
  // An aborted brain ends its stream without an error.
  stop?.throwIfAborted();
  if (inTime.aborted) return { text, ended: 'given_up' };
  return { text, ended: truncated ? 'truncated' : 'whole' };
}
