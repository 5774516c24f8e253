import type { BrainMessage } from '../contract.ts';
import { grammarSchema } from '../grammar-schema.ts';
import type { LocalQuestion } from './protocol.ts';

export type HistoryItem = Readonly<Record<string, unknown>>;

/**
 * Old turns are dropped in groups, so that the history keeps the same beginning, and its cached evaluation, for some
 * turns.
 */
const LEFT_AT_ONCE = 8;

export function historyOf(question: LocalQuestion): HistoryItem[] {
  const history: HistoryItem[] = [{ type: 'system', text: question.system }];
  for (const [index, message] of question.messages.entries()) {
    if (message.role === 'user') history.push({ type: 'user', text: message.content });
    else if (message.role === 'assistant') {
      history.push({ type: 'model', response: responseOf(message, question.messages.slice(index + 1)) });
    }
  }
  // The runtime continues the last model item.
  const { begun } = question;
  if (question.messages.length > 0)
    history.push({ type: 'model', response: begun === undefined ? [] : [begun] });
  return history;
}

/**
 * Drops the oldest turns as needed; the instructions and the last turn stay. Returns null where those alone exceed
 * the context.
 */
export function truncateHistory(
  history: readonly HistoryItem[],
  contextTokens: number,
  lengthOf: (history: readonly HistoryItem[]) => number,
): HistoryItem[] | null {
  const [system, ...turns] = history;
  for (let left = 0; ; left += LEFT_AT_ONCE) {
    const retained = [system as HistoryItem, ...turns.slice(Math.min(left, Math.max(0, turns.length - 2)))];
    if (lengthOf(retained) <= contextTokens) return retained;
    if (left >= turns.length - 2) return null;
  }
}

/** The description contains the complete schema, because the grammar expresses only a part of it. */
export const functionsOf = (question: LocalQuestion): object =>
  Object.fromEntries(
    question.tools.map(({ name, description, parameters }) => [
      name,
      {
        description: `${description}\nIts parameters, as JSON Schema: ${JSON.stringify(parameters)}`,
        params: grammarSchema(parameters),
      },
    ]),
  );

/** The runtime needs a call together with its result, which follows in the messages. */
function responseOf(
  message: Extract<BrainMessage, { role: 'assistant' }>,
  following: readonly BrainMessage[],
): unknown[] {
  const calls = (message.toolCalls ?? []).map((call) => {
    const result = following.find((other) => other.role === 'tool' && other.callId === call.id);
    return {
      type: 'functionCall',
      name: call.name,
      params: parsed(call.arguments),
      result: result?.content ?? '',
    };
  });
  return message.content === '' ? calls : [message.content, ...calls];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
