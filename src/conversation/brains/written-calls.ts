import { randomUUID } from 'node:crypto';
import { BrainError, type BrainEvent, type BrainRequest, type BrainToolCall } from './contract.ts';
import { MAX_ARGUMENT_CHARACTERS, MAX_CALLS } from './endpoint/tool-call-assembler.ts';

/** Speech begins with none of these; JSON, a block of code and a tag do. */
const BEGINS_CALL = /^\s*[{`<]/;
/** Within speech, a quotation mark in braces, a block of code or the tag of a tool, of which the end may be still to come. */
const CALL_WITHIN = /\{\s{0,40}(?:"|$)|`{3}|`{1,2}$|<\|?(?:tool|function|python)|<\|?\w{0,8}$/i;
const MARKS = /```(?:json)?|<\/?[\w|]+>/g;

/**
 * Some models write a call as plain JSON, without the marks that their servers look for (Qwen2.5-Coder, small Llamas).
 * What looks like one is held back until the end of the answer, so that no caller hears JSON.
 */
export async function* withWrittenCalls(
  events: AsyncIterable<BrainEvent>,
  { tools, task, begun }: Pick<BrainRequest, 'tools' | 'task' | 'begun'>,
): AsyncGenerator<BrainEvent> {
  if (tools.length === 0 || task !== undefined || begun !== undefined) {
    yield* events;
    return;
  }
  let held = '';
  let isSpeech = false;
  let isMarked = false;
  for await (const event of events) {
    if (event.kind === 'tool_call' && held !== '') {
      // The call was marked after all; what stands before it is speech, or the same call once more.
      const { text } = writtenIn(held, tools);
      if (text !== '') yield { kind: 'text', text };
      held = '';
    }
    isMarked ||= event.kind === 'tool_call';
    if (isMarked || event.kind !== 'text') {
      yield event;
      continue;
    }
    held += event.text;
    if (held.length > MAX_ARGUMENT_CHARACTERS) throw noCall();
    const speech = held.slice(0, callAt(held, isSpeech));
    isSpeech ||= speech !== '';
    held = held.slice(speech.length);
    yield speech === '' ? { kind: 'thinking' } : { kind: 'text', text: speech };
  }
  if (held === '') return;
  const { calls, text } = writtenIn(held, tools);
  for (const call of calls) yield { kind: 'tool_call', call: { id: `written_${randomUUID()}`, ...call } };
  if (calls.length > 0) return;
  if (text === '' && held.trim() !== '') throw noCall();
  yield { kind: 'text', text };
}

/** Returns where a call may begin, and the length of the text where none does. */
function callAt(text: string, followsSpeech: boolean): number {
  if (!followsSpeech && (text.trim() === '' || BEGINS_CALL.test(text))) return 0;
  const at = text.search(CALL_WITHIN);
  return at < 0 ? text.length : at;
}

const noCall = (): BrainError =>
  new BrainError('garbage', 'the model answered with markup that calls no tool', { retryable: false });

type Written = { readonly calls: readonly Omit<BrainToolCall, 'id'>[]; readonly text: string };

/** The text is empty where it has JSON, which is never speech. */
function writtenIn(held: string, tools: BrainRequest['tools']): Written {
  const calls: Omit<BrainToolCall, 'id'>[] = [];
  for (let rest = withoutMarks(held); rest.startsWith('{'); ) {
    const length = objectLength(rest);
    const call = callOf(rest.slice(0, length), tools);
    if (call === undefined || calls.length === MAX_CALLS) break;
    calls.push(call);
    rest = withoutMarks(rest.slice(length));
  }
  return { calls, text: held.includes('{') ? '' : withoutMarks(held) };
}

/** Marks are removed up to the next object alone: within an object they are words of the call. */
function withoutMarks(text: string): string {
  const at = text.indexOf('{');
  if (at < 0) return text.replaceAll(MARKS, '').trim();
  return text.slice(0, at).replaceAll(MARKS, '').trim() + text.slice(at);
}

/** Llama's models call the arguments parameters; some servers write them as a text of JSON. */
function callOf(text: string, tools: BrainRequest['tools']): Omit<BrainToolCall, 'id'> | undefined {
  try {
    const { name, parameters, arguments: given = parameters } = JSON.parse(text) as Record<string, unknown>;
    const tool = tools.find((declared) => declared.name === name);
    if (tool === undefined) return undefined;
    return { name: tool.name, arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}) };
  } catch {
    // It is no JSON, or nests deeper than can be written.
    return undefined;
  }
}

/** The length of the object with which the text begins; all of the text where it does not end. */
function objectLength(text: string): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (isQuoted && sign === '\\') at++;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && sign === '{') depth++;
    else if (!isQuoted && sign === '}' && --depth === 0) return at + 1;
  }
  return text.length;
}
