import { Agent, fetch } from 'undici';
import {
  type Brain,
  BrainError,
  type BrainEvent,
  type BrainLanguage,
  type BrainRequest,
} from '../contract.ts';
import { chatMessages } from '../prompt.ts';
import { withWrittenCalls } from '../written-calls.ts';
import { chatEvents, ReasoningOnlyAnswer } from './chat-events.ts';
import { endpointStatusError, readErrorBody, toBrainError } from './endpoint-errors.ts';
import { isTooManyTokens, RequestParameters } from './parameters.ts';
import { ReasoningStyle } from './reasoning-filter.ts';
import { ResponseFormats } from './response-formats.ts';
import { Watchdog } from './watchdog.ts';

export interface ChatEndpointOptions {
  /**
   * The URL ends with `/v1` or is the complete address of OpenAI-compatible chat completions. A query stays
   * (`?api-version=…`).
   */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly reasoningEffort?: string;
  readonly temperature?: number;
  readonly key?: string;
  readonly model: string;
  readonly connectMs?: number;
  /** The timeout from sending the request to the first useful event: a word, a thought or a tool call. */
  readonly firstEventMs?: number;
  /** The timeout between two events. */
  readonly stallMs?: number;
  /** The timeout from sending the request to the end of the answer. */
  readonly answerMs?: number;
  readonly maxTokens?: number;
}

/** The timeout ends before the session would retry, so that the next brain can still answer in time. */
const DEFAULTS = { connectMs: 1_000, firstEventMs: 3_500, stallMs: 4_000, answerMs: 30_000, maxTokens: 400 };
/** Tasks outside of calls may read the record of a whole call and write long answers. */
const OUTSIDE_OF_CALLS = { firstEventMs: 60_000, stallMs: 30_000, answerMs: 120_000 };

export function createChatEndpoint(options: ChatEndpointOptions): Brain & { close(): Promise<void> } {
  const settings = { ...DEFAULTS, ...options };
  const agent = new Agent({
    connect: { timeout: settings.connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
  });
  const habit = new ReasoningStyle();
  let introducing = false;
  let againAt = 0;
  const parameters = new RequestParameters({
    maxTokens: settings.maxTokens,
    ...(options.reasoningEffort === undefined ? {} : { reasoningEffort: options.reasoningEffort }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
  });
  const formats = new ResponseFormats();
  const endpoint = completionsOf(settings.url);
  const { host } = new URL(endpoint);
  const name = options.name ?? `chat:${settings.model}`;

  const post = (request: BrainRequest, tokens: number, signal: AbortSignal) =>
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
      body: JSON.stringify({
        model: settings.model,
        stream: true,
        ...parameters.of(request, tokens),
        response_format: formats.of(request.task),
        messages: chatMessages(request),
        tools: toolsOf(request),
      }),
    });

  async function ask(request: BrainRequest, signal: AbortSignal, tokens = request.task?.maxTokens ?? 0) {
    const response = await post(request, tokens, signal);
    if (response.ok) return response;
    const said = await readErrorBody(response.body);
    const fewer = afterRefusal(request, response.status, said, tokens);
    if (fewer !== null) return await ask(request, signal, fewer);
    throw endpointStatusError(response.status, response.headers.get('retry-after'), said);
  }

  /**
   * Returns the token limit for a repeated request without what the server refused; null where repeating cannot help.
   */
  function afterRefusal({ task }: BrainRequest, status: number, said: string, tokens: number): number | null {
    const isRefusal = status === 400 || status === 422;
    const isOfFormat = FORMAT.test(said);
    if (isOfFormat && (isRefusal || status >= 500) && formats.refused(task)) return tokens;
    if (!isRefusal) return null;
    if (tokens > settings.maxTokens && isTooManyTokens(said)) return Math.floor(tokens / 2);
    return parameters.refused(said) || formats.refused(task) ? tokens : null;
  }

  const timeoutsFor = ({ task }: BrainRequest) => {
    const longest = (name: keyof typeof OUTSIDE_OF_CALLS): number =>
      task === undefined ? settings[name] : Math.max(settings[name], OUTSIDE_OF_CALLS[name]);
    return {
      firstEventMs: longest('firstEventMs'),
      stallMs: longest('stallMs'),
      answerMs: longest('answerMs'),
    };
  };

  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    try {
      yield* withWrittenCalls(once(request, signal), request);
    } catch (error) {
      // Reasoning used up all tokens: the request is repeated with a higher limit, which stays.
      if (!(error instanceof ReasoningOnlyAnswer) || !parameters.raiseTokenLimit()) throw error;
      yield* withWrittenCalls(once(request, signal), request);
    }
  }

  async function* once(
    request: BrainRequest,
    signal: AbortSignal,
    firstEventMs = timeoutsFor(request).firstEventMs,
    ours = false,
  ): AsyncGenerator<BrainEvent> {
    if (signal.aborted) return;
    const { answerMs, stallMs } = timeoutsFor(request);
    const watch = new Watchdog(signal, answerMs);
    const thoughts = habit.newFilter();
    let whole = false;
    const use = request.sentTo?.({ name, host, microsPerHour: 0 });
    try {
      watch.arm(firstEventMs);
      const response = await ask(request, watch.signal);
      if (!response.body)
        throw new BrainError('garbage', 'the response of the endpoint has no body', { retryable: true });
      const events = chatEvents(response.body, { thoughts, watch, stallMs, task: request.task });
      for (let next = await events.next(); ; next = await events.next()) {
        if (next.done === true) {
          whole = next.value;
          break;
        }
        if (next.value.kind === 'text') use?.received(next.value.text.length);
        yield next.value;
      }
    } catch (error) {
      if (signal.aborted) return;
      use?.failed();
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

  /**
   * A warm-up request reveals whether the model writes its reasoning into the content, and makes the server
   * load the model before the first question.
   */
  async function introduce(language: BrainLanguage): Promise<void> {
    if (introducing) return;
    introducing = true;
    try {
      const question = { language, persona: '', messages: [INTRODUCTION], tools: [], passages: [] };
      const aborting = new AbortController();
      for await (const _ of once(question, aborting.signal, settings.answerMs, true));
    } catch (error) {
      // The short warm-up question cannot need that many tokens, so the model reasons.
      if (error instanceof ReasoningOnlyAnswer) habit.thinksUnseen();
    } finally {
      introducing = false;
    }
  }

  return {
    name,
    respond,
    prepare: (_persona, language) => {
      if (!habit.known) void introduce(language);
    },
    close: () => agent.destroy(),
  };
}

/** The warm-up request is repeated no more often than this for a model whose answers contradict its known style. */
const AGAIN_MS = 60_000;
const INTRODUCTION = { role: 'user' as const, content: 'Say hello in one short sentence.' };

/** Azure needs the query behind the path, and its portal shows the complete address. */
function completionsOf(url: string): string {
  const at = new URL(url);
  at.pathname = `${at.pathname.replace(/(\/chat\/completions)?\/*$/, '')}/chat/completions`;
  return at.href;
}

const FORMAT = /response_format|json_schema|json_object|json mode|structured output|schema|grammar/i;

/** Some servers reject an empty list, so the field is left out. */
const toolsOf = ({ tools }: BrainRequest): object[] | undefined =>
  tools.length === 0
    ? undefined
    : tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      }));
