import { Agent, fetch } from 'undici';
import { serverSentData } from '../../platform/server-sent-events.ts';
import {
  type Brain,
  BrainError,
  type BrainEvent,
  type BrainLanguage,
  type BrainRequest,
  type BrainUsage,
} from '../contract.ts';
import { chatMessages } from '../prompt.ts';
import { beginningOf, statusError, streamError, toBrainError } from './faults.ts';
import { Parameters } from './parameters.ts';
import { type ThoughtFilter, ThoughtHabit } from './thoughts.ts';
import { ToolCallAssembler } from './tool-call-assembler.ts';
import { spentIn } from './usage.ts';
import { Watchdog } from './watchdog.ts';

export interface ChatEndpointOptions {
  /** Up to and including `/v1`, or the whole address: any server that speaks OpenAI's chat completions. A query stays (`?api-version=…`). */
  readonly url: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How the model is known; absent: by its own name. */
  readonly name?: string;
  readonly reasoningEffort?: string;
  /** Where a session asks for none. */
  readonly temperature?: number;
  readonly key?: string;
  readonly model: string;
  readonly connectMs?: number;
  /** From sending the request to the first useful piece of an answer: a word, a thought or a call. */
  readonly firstEventMs?: number;
  /** Between two events. */
  readonly stallMs?: number;
  /** From sending the request to the end of the answer. */
  readonly answerMs?: number;
  readonly maxTokens?: number;
}

/** The first event comes before the session would ask again: the next brain may still answer in time. */
const DEFAULTS = { connectMs: 1_000, firstEventMs: 3_500, stallMs: 4_000, answerMs: 30_000, maxTokens: 400 };

/** An answer of a few hundred tokens is a hundredth of it. */
const STREAM_LIMITS = { eventCharacters: 1_000_000, bytes: 8_000_000 };

interface Delta {
  content?: unknown;
  /** In the place of content: the model's own words, why it won't. */
  refusal?: unknown;
  tool_calls?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
}

export function createChatEndpoint(options: ChatEndpointOptions): Brain & { close(): Promise<void> } {
  const settings = { ...DEFAULTS, ...options };
  const agent = new Agent({
    connect: { timeout: settings.connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
  });
  const habit = new ThoughtHabit();
  let introducing = false;
  let againAt = 0;
  const parameters = new Parameters({
    maxTokens: settings.maxTokens,
    ...(options.reasoningEffort === undefined ? {} : { reasoningEffort: options.reasoningEffort }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
  });
  const endpoint = completionsOf(settings.url);

  const post = (request: BrainRequest, signal: AbortSignal) =>
    fetch(endpoint, {
      method: 'POST',
      dispatcher: agent,
      redirect: 'error',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(settings.key ? { authorization: `Bearer ${settings.key}` } : {}),
        ...settings.headers,
      },
      body: JSON.stringify(chatBody(request, settings.model, parameters)),
    });

  /** The endpoint's answer, which is none of an error. */
  async function ask(request: BrainRequest, signal: AbortSignal) {
    const response = await post(request, signal);
    if (response.ok) return response;
    const said = await beginningOf(response.body);
    if ((response.status === 400 || response.status === 422) && parameters.refused(said))
      return await ask(request, signal);
    throw statusError(response.status, response.headers.get('retry-after'), said);
  }

  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    try {
      yield* once(request, signal);
    } catch (error) {
      // Thoughts used up what the answer may have: asked again, with room for both, and so from then on.
      if (!(error instanceof OnlyThought) || !parameters.makeRoom()) throw error;
      yield* once(request, signal);
    }
  }

  async function* once(
    request: BrainRequest,
    signal: AbortSignal,
    firstEventMs = settings.firstEventMs,
    ours = false,
  ): AsyncGenerator<BrainEvent> {
    if (signal.aborted) return;
    const watch = new Watchdog(signal, settings.answerMs);
    const thoughts = habit.newFilter();
    let whole = false;
    try {
      watch.arm(firstEventMs);
      const response = await ask(request, watch.signal);
      if (!response.body) throw new BrainError('garbage', 'the answer has no body', { retryable: true });
      whole = yield* chatEvents(response.body, thoughts, watch, settings.stallMs);
    } catch (error) {
      if (signal.aborted) return;
      throw toBrainError(error, watch.expired);
    } finally {
      watch.stop();
      if (habit.learn(thoughts, whole, ours)) askAgain(request.language);
    }
  }

  function askAgain(language: BrainLanguage): void {
    if (performance.now() < againAt) return;
    againAt = performance.now() + AGAIN_MS;
    void introduce(language);
  }

  /** Until a model has said a word nobody knows whether it thinks aloud; one that is loaded only now is loaded before the first question. */
  async function introduce(language: BrainLanguage): Promise<void> {
    if (introducing) return;
    introducing = true;
    try {
      const question = { language, persona: '', messages: [INTRODUCTION], tools: [], passages: [] };
      const life = new AbortController();
      for await (const _ of once(question, life.signal, settings.answerMs, true));
    } catch (error) {
      // Nobody says hello with so many words.
      if (error instanceof OnlyThought) habit.thinksUnseen();
    } finally {
      introducing = false;
    }
  }

  return {
    name: options.name ?? `chat:${settings.model}`,
    respond,
    prepare: (_persona, language) => {
      if (!habit.known) void introduce(language);
    },
    close: () => agent.destroy(),
  };
}

/** A model whose answers are unlike what is known of it is asked no more often. */
const AGAIN_MS = 60_000;
/** What may follow the last word: how many tokens it was, and the mark of the end. Some servers leave the connection open. */
const AFTER_THE_END_MS = 300;

const INTRODUCTION = { role: 'user' as const, content: 'Say hello in one short sentence.' };

/** All tokens were used up before it was known to be more than a thought. */
class OnlyThought extends BrainError {
  constructor() {
    super('garbage', 'the answer ended before the model had stopped thinking', { retryable: false });
  }
}

/** The query stays behind the path, as Azure wants it; its portal shows the whole address. */
function completionsOf(url: string): string {
  const at = new URL(url);
  at.pathname = `${at.pathname.replace(/(\/chat\/completions)?\/*$/, '')}/chat/completions`;
  return at.href;
}

function chatBody(request: BrainRequest, model: string, parameters: Parameters): Record<string, unknown> {
  const tools = request.tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  return {
    model,
    stream: true,
    ...parameters.of(request),
    messages: chatMessages(request),
    ...(tools.length > 0 ? { tools } : {}),
  };
}

/** Some models write a list of parts in the place of a text. */
const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown } | null) => textOf(part?.text)).join('');
};

const wordsOf = ({ content, refusal }: Delta): string => textOf(content) + textOf(refusal);

/** What an answer that is whole ends with, and how much of it is looked at for that. */
const WHOLE = /[.!?।…][\s"'”»)\]*]*$/u;
const WHOLE_LOOKS_AT = 32;

/** Thoughts in a field of their own, under the names that servers give it. */
const isThought = ({ reasoning_content, reasoning }: Delta): boolean =>
  [reasoning_content, reasoning].some((thought) => typeof thought === 'string' && thought !== '');

/** A word, a thought or a call; the role alone is none. */
const isUseful = ({ delta, reason }: Choice): boolean =>
  reason !== null || wordsOf(delta) !== '' || isThought(delta) || (delta.tool_calls ?? null) !== null;

/** True: the answer is whole, and in words alone. */
async function* chatEvents(
  body: AsyncIterable<Uint8Array>,
  thoughts: ThoughtFilter,
  watch: Watchdog,
  stallMs: number,
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
      // Some gateways keep a connection alive so.
      const event = data === '' ? null : parseEvent(data);
      const usage = event === null ? null : spentIn(event);
      if (usage !== null) {
        hidden ||= usage.reasoningTokens > 0;
        cost = usage.cost;
      }
      const choice = event === null ? null : choiceOf(event);
      if (choice === null) continue;
      // Marks of life of a gateway are no answer: the next brain may have one.
      if (!useful && isUseful(choice)) {
        useful = true;
        watch.arm(stallMs);
      }
      hidden ||= isThought(choice.delta);
      const text = thoughts.add(wordsOf(choice.delta));
      if (text !== '') yield { kind: 'text', text };
      // Thoughts, in a field of their own too, or a call that is still being written.
      else if (choice.reason === null) yield { kind: 'thinking' };
      words = (words + text).slice(-WHOLE_LOOKS_AT);
      assembler.add(choice.delta.tool_calls);
      cut ||= choice.reason === 'length';
      finished ||= choice.reason !== null;
      if (finished) watch.arm(AFTER_THE_END_MS);
    }
  } catch (error) {
    if (!finished || !watch.expired) throw error;
  }
  if (cost !== null) yield { kind: 'usage', ...cost };
  // What was held back before a call, or up to the last token, is a thought.
  const rest = cut || !assembler.empty ? '' : thoughts.end();
  if (rest !== '') yield { kind: 'text', text: rest };
  words += rest;
  // Some servers mark no end. Words that end like an answer are one; a call that may be cut off is not made.
  if (!finished && !(assembler.empty && WHOLE.test(words))) {
    throw new BrainError('garbage', 'the stream ended before the answer did', { retryable: false });
  }
  if (words === '' && assembler.empty && (thoughts.thinking || (hidden && cut))) throw new OnlyThought();
  for (const call of assembler.calls()) yield { kind: 'tool_call', call };
  return words !== '' && assembler.empty && !cut;
}

function parseEvent(data: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch (cause) {
    throw new BrainError('garbage', 'an event of the stream is not JSON', { retryable: false, cause });
  }
  if (typeof parsed !== 'object' || parsed === null) {
    throw new BrainError('garbage', 'an event of the stream is not an object', { retryable: false });
  }
  // Some gateways send the field with each event, empty.
  if (((parsed as { error?: unknown }).error ?? null) !== null)
    throw streamError((parsed as { error: unknown }).error);
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
