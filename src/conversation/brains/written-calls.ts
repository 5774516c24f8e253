import { randomUUID } from 'node:crypto';
import { BrainError, type BrainEvent, type BrainRequest, type BrainToolCall } from './contract.ts';
import { MAX_ARGUMENT_CHARACTERS, MAX_CALLS } from './endpoint/tool-call-assembler.ts';

/** Speech begins with none of these; JSON, a block of code and a tag do. */
const BEGINS_CALL = /^\s*[{`<]/;
const MARKS = /```(?:json)?|<\/?[\w|]+>/g;

/**
 * Some models write a call as plain JSON, without the marks that their servers look for (Qwen2.5-Coder, small Llamas).
 * An answer that begins like one is held back until its end, so that no caller hears JSON.
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
  for await (const event of events) {
    if (event.kind === 'tool_call' && held !== '') {
      // The call was marked after all; what stands before it is speech, or the same call once more.
      const { text } = writtenIn(held, tools);
      if (text !== '') yield { kind: 'text', text };
      held = '';
    }
    isSpeech ||= event.kind === 'tool_call';
    if (isSpeech || event.kind !== 'text') {
      yield event;
      continue;
    }
    held += event.text;
    if (held.length > MAX_ARGUMENT_CHARACTERS) throw noCall();
    isSpeech = held.trim() !== '' && !BEGINS_CALL.test(held);
    yield isSpeech ? { kind: 'text', text: held } : { kind: 'thinking' };
    if (isSpeech) held = '';
  }
  if (held === '') return;
  const { calls, text } = writtenIn(held, tools);
  for (const call of calls) yield { kind: 'tool_call', call: { id: `written_${randomUUID()}`, ...call } };
  if (calls.length > 0) return;
  if (text === '' && held.trim() !== '') throw noCall();
  yield { kind: 'text', text };
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
