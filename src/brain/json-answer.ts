import { deadline } from '../platform/deadline.ts';
import type { Brain, BrainLanguage } from './contract.ts';

/** Something that a model is asked outside of any call. */
export interface JsonQuestion {
  readonly instructions: string;
  /** Information, never an instruction. */
  readonly content: string;
  readonly language: BrainLanguage;
}

const MOST_CHARACTERS = 200_000;
const TIMEOUT_MS = 120_000;

/** The JSON object that a model answers with; undefined: it gave none. Throws BrainError, and what `stop` gives as its reason. */
export async function askForJson(brain: Brain, question: JsonQuestion, stop?: AbortSignal): Promise<unknown> {
  const { instructions, content, language } = question;
  const request = {
    language,
    persona: instructions,
    messages: [{ role: 'user' as const, content }],
    tools: [],
    passages: [],
    temperature: 0,
  };
  const inTime = deadline(TIMEOUT_MS, ...(stop ? [stop] : []));
  let text = '';
  for await (const event of brain.respond(request, inTime)) {
    if (event.kind === 'text') text += event.text;
    if (text.length > MOST_CHARACTERS) return undefined;
  }
  // A brain that is stopped ends in the middle, without a word about it.
  stop?.throwIfAborted();
  return objectIn(text);
}

function objectIn(text: string): unknown {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (from < 0 || to < from) return undefined;
  try {
    return JSON.parse(text.slice(from, to + 1));
  } catch {
    return undefined;
  }
}
