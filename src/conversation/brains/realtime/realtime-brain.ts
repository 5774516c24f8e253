import { GateError, socketMessages, UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import {
  type Brain,
  BrainError,
  type BrainEvent,
  type BrainFault,
  type BrainRequest,
  type BrainUse,
} from '../contract.ts';
import { Watchdog } from '../endpoint/watchdog.ts';
import { RealtimeResponse } from './realtime-events.ts';
import { type RealtimeDialect, realtimeMessages } from './realtime-messages.ts';

export interface RealtimeBrainOptions {
  /** The URL ends with `/v1`, or with `/realtime`. A query stays. */
  readonly url: string;
  readonly name?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model: string;
  /** The timeout from opening the socket to the first word or tool call. */
  readonly firstEventMs?: number;
  readonly stallMs?: number;
  readonly answerMs?: number;
  readonly maxTokens?: number;
  /** The price of an hour of the caller's audio. */
  readonly microsPerHour?: number;
}

/** The timeout ends before the session would retry, so that the next brain can still answer in time. */
const DEFAULTS = { firstEventMs: 3_500, stallMs: 4_000, answerMs: 30_000, maxTokens: 400 };
/** Tasks outside of calls read the record of a whole call. */
const OUTSIDE_OF_CALLS = { firstEventMs: 60_000, stallMs: 30_000, answerMs: 120_000 };
/** OpenAI's realtime models refuse a higher limit. */
const MAX_TOKENS = 4_096;

/**
 * Hears the caller's audio by OpenAI's Realtime protocol and writes the answer as text, so that guardrails read each
 * sentence before it is spoken, and the record has the words that were played.
 */
export function createRealtimeBrain(options: RealtimeBrainOptions): Brain & { close(): Promise<void> } {
  const settings = { ...DEFAULTS, ...options };
  const url = endpointOf(settings);
  const { host } = new URL(url);
  const name = options.name ?? `realtime:${settings.model}`;
  // The operator vouches for the host of the list; all other rules of the gate apply.
  const gate = new UrlGate({ allowLoopback: false, privateHosts: new Set([hostAndPortOf(url)]) });
  const headers = {
    ...(settings.key === undefined ? {} : { authorization: `Bearer ${settings.key}` }),
    ...settings.headers,
  };
  const dialect = dialectOf(headers);

  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    if (signal.aborted) return;
    const { task, callerAudio } = request;
    const limits = task === undefined ? settings : { ...settings, ...OUTSIDE_OF_CALLS };
    const maxTokens = Math.min(task?.maxTokens ?? settings.maxTokens, MAX_TOKENS);
    const use = (callerAudio ?? request).sentTo?.({ name, host, microsPerHour: settings.microsPerHour ?? 0 });
    const watch = new Watchdog(signal, limits.answerMs);
    const response = new RealtimeResponse();
    try {
      watch.arm(limits.firstEventMs);
      const first = realtimeMessages(request, { dialect, maxTokens });
      for await (const message of socketMessages({ gate, url, headers, first, signal: watch.signal })) {
        if (typeof message !== 'string') continue;
        for (const event of response.take(message)) {
          watch.arm(limits.stallMs);
          count(use, event);
          yield event;
        }
        if (response.isDone) return;
      }
      if (signal.aborted) return;
      throw watch.expired ? tooLate() : ended();
    } catch (error) {
      if (signal.aborted) return;
      use?.failed();
      throw toBrainError(error);
    } finally {
      watch.stop();
    }
  }
  return { name, respond, close: () => gate.close() };
}

const count = (use: BrainUse | undefined, event: BrainEvent): void => {
  if (event.kind === 'text') use?.received(event.text.length);
};

const tooLate = () =>
  new BrainError('timeout', 'the server did not answer before the deadline', { retryable: true });
const ended = () =>
  new BrainError('unreachable', 'the server closed its socket before the end of the answer', {
    retryable: true,
  });

const FAULT_OF: Partial<Readonly<Record<GateError['reason'], BrainFault>>> = {
  timeout: 'timeout',
  too_large: 'garbage',
};

function toBrainError(error: unknown): BrainError {
  if (error instanceof BrainError) return error;
  const fault = error instanceof GateError ? FAULT_OF[error.reason] : undefined;
  return new BrainError(fault ?? 'unreachable', 'the socket of the server failed', {
    retryable: fault !== 'garbage',
    cause: error,
  });
}

/** Azure needs the query behind the path. */
function endpointOf({ url, model }: Pick<RealtimeBrainOptions, 'url' | 'model'>): string {
  const at = new URL(url);
  at.pathname = `${at.pathname.replace(/(\/realtime)?\/*$/, '')}/realtime`;
  at.searchParams.set('model', model);
  return at.href;
}

function hostAndPortOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

function dialectOf(headers: Readonly<Record<string, string>>): RealtimeDialect {
  const beta = Object.entries(headers).find(([header]) => header.toLowerCase() === 'openai-beta');
  return beta?.[1].includes('realtime=v1') === true ? 'beta' : 'ga';
}
