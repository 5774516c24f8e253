import { Agent, fetch } from 'undici';
import {
  type Brain,
  BrainError,
  type BrainEvent,
  type BrainLanguage,
  type BrainRequest,
} from '../contract.ts';
import { chatMessages } from '../prompt.ts';
import { serverSentData } from './server-sent-events.ts';
import { type ThoughtFilter, ThoughtHabit } from './thoughts.ts';
import { ToolCallAssembler } from './tool-call-assembler.ts';

export interface ChatEndpointOptions {
  /** Up to and including `/v1`: any server that speaks OpenAI's chat completions. */
  readonly url: string;
  readonly key?: string;
  readonly model: string;
  readonly connectMs?: number;
  /** From sending the request to the first event. */
  readonly firstEventMs?: number;
  /** Between two events. */
  readonly stallMs?: number;
  /** From sending the request to the end of the answer. */
  readonly answerMs?: number;
  readonly maxTokens?: number;
}

/** The first event comes before the session would ask again: the next brain may still answer in time. */
const DEFAULTS = { connectMs: 1_000, firstEventMs: 3_500, stallMs: 4_000, answerMs: 30_000, maxTokens: 400 };

interface Delta {
  content?: unknown;
  /** In the place of content: the model's own words, why it won't. */
  refusal?: unknown;
  tool_calls?: unknown;
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
  /** Newer models of one vendor refuse the name that all other servers know. */
  let limit: 'max_tokens' | 'max_completion_tokens' = 'max_tokens';
  const endpoint = `${settings.url.replace(/\/+$/, '')}/chat/completions`;

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
      },
      body: JSON.stringify(chatBody(request, settings.model, { [limit]: settings.maxTokens })),
    });

  /** The endpoint's answer, which is none of an error. */
  async function ask(request: BrainRequest, signal: AbortSignal) {
    const response = await post(request, signal);
    if (response.ok) return response;
    const said = await beginningOf(response.body);
    if (response.status === 400 && limit === 'max_tokens' && said.includes('max_completion_tokens')) {
      limit = 'max_completion_tokens';
      return await ask(request, signal);
    }
    throw statusError(response.status, response.headers.get('retry-after'), said);
  }

  async function* respond(
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
      for await (const _ of respond(question, life.signal, settings.answerMs, true));
    } catch (error) {
      // Nobody says hello with so many words.
      if (error instanceof OnlyThought) habit.thinksUnseen();
    } finally {
      introducing = false;
    }
  }

  return {
    name: `chat:${settings.model}`,
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

function chatBody(
  request: BrainRequest,
  model: string,
  limit: Record<string, number>,
): Record<string, unknown> {
  const tools = request.tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  return {
    model,
    stream: true,
    ...limit,
    messages: chatMessages(request),
    ...(tools.length > 0 ? { tools } : {}),
    ...(request.seed === undefined ? {} : { seed: request.seed }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
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
  try {
    for await (const sent of serverSentData(body)) {
      watch.arm(finished ? AFTER_THE_END_MS : stallMs);
      const data = sent.trim();
      if (data === '[DONE]') {
        finished = true;
        break;
      }
      // Some gateways keep a connection alive so.
      const choice = data === '' ? null : parseChoice(data);
      if (choice === null) continue;
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
  // What was held back before a call, or up to the last token, is a thought.
  const rest = cut || !assembler.empty ? '' : thoughts.end();
  if (rest !== '') yield { kind: 'text', text: rest };
  words += rest;
  // Some servers mark no end. Words that end like an answer are one; a call that may be cut off is not made.
  if (!finished && !(assembler.empty && WHOLE.test(words))) {
    throw new BrainError('garbage', 'the stream ended before the answer did', { retryable: false });
  }
  if (words === '' && assembler.empty && thoughts.thinking) throw new OnlyThought();
  for (const call of assembler.calls()) yield { kind: 'tool_call', call };
  return words !== '' && assembler.empty && !cut;
}

function parseChoice(data: string): { delta: Delta; reason: string | null } | null {
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
    throw new BrainError('refused', 'the endpoint reported an error', { retryable: false });
  const choices = (parsed as { choices?: unknown }).choices;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (typeof choice !== 'object' || choice === null) return null;
  const { delta, finish_reason: reason } = choice as { delta?: Delta; finish_reason?: unknown };
  return { delta: delta ?? {}, reason: typeof reason === 'string' ? reason : null };
}

/** Of an error's body, as far as it is read for its code. */
const MOST_SAID_BYTES = 16_384;
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

async function beginningOf(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= MOST_SAID_BYTES) break;
  }
  return Buffer.concat(parts).toString('utf8').slice(0, MOST_SAID_BYTES);
}

function statusError(status: number, retryAfter: string | null, said: string): BrainError {
  const overloaded = status === 429 || status === 503;
  const fault = overloaded ? 'overloaded' : status >= 500 ? 'unreachable' : 'refused';
  const code = codeOf(said);
  return new BrainError(fault, `the endpoint answered ${status}${code && ` (${code})`}`, {
    retryable: overloaded || status >= 500,
    retryAfterMs: retryAfterMs(retryAfter),
  });
}

/** An error's body may repeat what a caller said: only its code goes on into messages and logs. */
function codeOf(said: string): string {
  try {
    const { error } = JSON.parse(said) as { error?: { code?: unknown; type?: unknown } };
    const code = [error?.code, error?.type].find((one) => typeof one === 'string' && CODE.test(one));
    return (code as string | undefined) ?? '';
  } catch {
    return '';
  }
}

/** Seconds, or a date. */
function retryAfterMs(value: string | null): number | null {
  if (value === null) return null;
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

function toBrainError(error: unknown, expired: boolean): BrainError {
  if (error instanceof BrainError) return error;
  if (expired)
    return new BrainError('timeout', 'the endpoint was too slow', { retryable: true, cause: error });
  return new BrainError('unreachable', 'the endpoint could not be reached', {
    retryable: true,
    cause: error,
  });
}

/** Aborts when nothing happened for the time last armed, or when the caller aborts. */
class Watchdog {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal;
  expired = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #whole: NodeJS.Timeout;

  constructor(outer: AbortSignal, wholeMs: number) {
    this.#whole = setTimeout(() => this.#expire(), wholeMs);
    this.signal = AbortSignal.any([outer, this.#controller.signal]);
  }

  arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#expire(), ms);
  }

  #expire(): void {
    this.expired = true;
    this.#controller.abort();
  }

  /** Also stops a request that is still running: the iteration was left early. */
  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#whole);
    this.#controller.abort();
  }
}
