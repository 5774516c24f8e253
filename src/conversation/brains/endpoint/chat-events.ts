import { serverSentData } from '../../../foundation/platform/server-sent-events.ts';
import { BrainError, type BrainEvent, type BrainUsage, type JsonTask } from '../contract.ts';
import { endpointStreamError } from './endpoint-errors.ts';
import type { ReasoningFilter } from './reasoning-filter.ts';
import { ToolCallAssembler } from './tool-call-assembler.ts';
import { brainUsageIn } from './usage.ts';
import type { Watchdog } from './watchdog.ts';

/** The usage and the end marker may follow the last word. Some servers leave the connection open. */
const AFTER_THE_END_MS = 300;

/** The limits are a hundred times an answer of a few hundred tokens. */
const STREAM_LIMITS = { eventCharacters: 1_000_000, bytes: 8_000_000 };

/** All tokens were used up by reasoning, or by text that may be reasoning. */
export class ReasoningOnlyAnswer extends BrainError {
  constructor() {
    super('garbage', 'the answer ended before the model had stopped thinking', { retryable: false });
  }
}

interface Delta {
  content?: unknown;
  /** The model sends its refusal here instead of in the content. */
  refusal?: unknown;
  tool_calls?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
}

/** Some models write a list of parts instead of a text. */
const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown } | null) => textOf(part?.text)).join('');
};

const wordsOf = ({ content, refusal }: Delta): string => textOf(content) + textOf(refusal);

/** A complete answer ends with one of these; only the last WHOLE_LOOKS_AT characters are examined. */
const WHOLE = /[.!?।…][\s"'”»)\]*]*$/u;
const WHOLE_LOOKS_AT = 32;

const isThought = ({ reasoning_content, reasoning }: Delta): boolean =>
  [reasoning_content, reasoning].some((thought) => typeof thought === 'string' && thought !== '');

const isUseful = ({ delta, reason }: Choice): boolean =>
  reason !== null || wordsOf(delta) !== '' || isThought(delta) || (delta.tool_calls ?? null) !== null;

interface ChatStreamOptions {
  readonly thoughts: ReasoningFilter;
  readonly watch: Watchdog;
  readonly stallMs: number;
  /**
   * The answer to a task outside of a call is never reasoning, even where it is truncated before a marker shows that.
   */
  readonly task: JsonTask | undefined;
}

const JSON_BEGUN = /^\s*(?:```(?:json)?\s*)?\{/;
/** An answer that continues another one may begin with anything. */
const isAnswer = (task: JsonTask | undefined, held: string): boolean =>
  task !== undefined && held !== '' && (task.schema === undefined || JSON_BEGUN.test(held));

/** Returns true where the answer is complete and consists of words alone. */
export async function* chatEvents(
  body: AsyncIterable<Uint8Array>,
  { thoughts, watch, stallMs, task }: ChatStreamOptions,
): AsyncGenerator<BrainEvent, boolean> {
  const assembler = new ToolCallAssembler();
  let finished = false;
  let cut = false;
  let words = '';
  let cost: BrainUsage | null = null;
  let useful = false;
  let hidden = false;
  try {
    for await (const sent of serverSentData(body, STREAM_LIMITS)) {
      if (finished) watch.arm(AFTER_THE_END_MS);
      else if (useful) watch.arm(stallMs);
      const data = sent.trim();
      if (data === '[DONE]') {
        finished = true;
        break;
      }
      const event = data === '' ? null : parseEvent(data, words === '');
      const usage = event === null ? null : brainUsageIn(event);
      if (usage !== null) {
        hidden ||= usage.reasoningTokens > 0;
        cost = usage.cost;
      }
      const choice = event === null ? null : choiceOf(event);
      if (choice === null) continue;
      // A gateway's keep-alive is no answer, so it does not stop the first timeout.
      if (!useful && isUseful(choice)) {
        useful = true;
        watch.arm(stallMs);
      }
      hidden ||= isThought(choice.delta);
      const text = thoughts.add(wordsOf(choice.delta));
      if (text !== '') yield { kind: 'text', text };
      else if (choice.reason === null) yield { kind: 'thinking' };
      words = (words + text).slice(-WHOLE_LOOKS_AT);
      assembler.add(choice.delta.tool_calls);
      cut ||= choice.reason === 'length';
      finished ||= choice.reason !== null;
      if (finished) watch.arm(AFTER_THE_END_MS);
    }
  } catch (error) {
    if (!finished || !watch.expired) {
      if (isAnswer(task, thoughts.held)) yield { kind: 'text', text: thoughts.end() };
      throw error;
    }
  }
  if (cost !== null) yield { kind: 'usage', ...cost };
  // Text that was held back before a tool call, or up to the token limit, is reasoning.
  const isThoughtToTheEnd = cut && !isAnswer(task, thoughts.held);
  const rest = isThoughtToTheEnd || !assembler.empty ? '' : thoughts.end();
  if (rest !== '') yield { kind: 'text', text: rest };
  words += rest;
  // Some servers send no end marker. Words that look complete are accepted; a tool call that may be truncated is not.
  if (!finished && !(assembler.empty && WHOLE.test(words))) {
    // Before the first word the caller has heard nothing and no tool ran, so the request may be repeated.
    throw new BrainError('garbage', 'the stream of the endpoint ended before its last event', {
      retryable: words === '',
    });
  }
  if (words === '' && assembler.empty && (thoughts.thinking || (hidden && cut)))
    throw new ReasoningOnlyAnswer();
  for (const call of assembler.calls()) yield { kind: 'tool_call', call };
  if (cut) yield { kind: 'truncated' };
  return words !== '' && assembler.empty && !cut;
}

/** `retryable` means that no words were delivered. A connection that breaks within an event leaves partial JSON. */
function parseEvent(data: string, retryable: boolean): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch (cause) {
    throw new BrainError('garbage', 'an event in the stream of the endpoint is not JSON', {
      retryable,
      cause,
    });
  }
  if (typeof parsed !== 'object' || parsed === null) {
    throw new BrainError('garbage', 'an event in the stream of the endpoint is not a JSON object', {
      retryable,
    });
  }
  // Some gateways send an empty error field with each event.
  if (((parsed as { error?: unknown }).error ?? null) !== null)
    throw endpointStreamError((parsed as { error: unknown }).error);
  return parsed as Record<string, unknown>;
}

interface Choice {
  readonly delta: Delta;
  readonly reason: string | null;
}

function choiceOf({ choices }: Record<string, unknown>): Choice | null {
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (typeof choice !== 'object' || choice === null) return null;
  const { delta, finish_reason: reason } = choice as { delta?: Delta; finish_reason?: unknown };
  return { delta: delta ?? {}, reason: typeof reason === 'string' ? reason : null };
}
