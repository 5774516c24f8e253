import { GateError, socketMessages, UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import { AnswerVoice } from '../answer-voice.ts';
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
import { MODEL_VOICE_RATE, type RealtimeDialect, realtimeMessages } from './realtime-messages.ts';

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
  /** The model answers calls in this voice of its own; without one it answers in text, which our voice speaks. */
  readonly voice?: string;
  readonly firstAudioMs?: number;
  readonly betweenAudioMs?: number;
  /** The price of an hour of the caller's audio. */
  readonly microsPerHour?: number;
  /** The price of an hour of the model's own voice. */
  readonly microsPerSpokenHour?: number;
}

/** The timeout ends before the session would retry, so that the next brain can still answer in time. */
const DEFAULTS = { firstEventMs: 3_500, stallMs: 4_000, answerMs: 30_000 };
const DEFAULT_TOKENS = 400;
const AUDIO_LIMITS = { firstAudioMs: 1_000, betweenAudioMs: 500 };
/** Another brain needs this long to continue, so it is asked while this much is left to play. */
const TAKEOVER_MS = 300;
/** Tasks outside of calls read the record of a whole call. */
const OUTSIDE_OF_CALLS = { firstEventMs: 60_000, stallMs: 30_000, answerMs: 120_000 };
/** OpenAI's realtime models refuse a higher limit. A second of their voice takes about 20 tokens. */
const MAX_TOKENS = 4_096;

/**
 * Hears the caller's audio by OpenAI's Realtime protocol. It writes the answer as text, so that guardrails read each
 * sentence before it is spoken, or speaks it in its own voice where it has one and the call plays it.
 */
export function createRealtimeBrain(options: RealtimeBrainOptions): Brain & { close(): Promise<void> } {
  const settings = { ...DEFAULTS, ...AUDIO_LIMITS, ...options };
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
    const { task, callerAudio, playsVoice, begun } = request;
    const limits = task === undefined ? settings : { ...settings, ...OUTSIDE_OF_CALLS };
    const { microsPerHour = 0, microsPerSpokenHour = 0, firstAudioMs, betweenAudioMs } = settings;
    const use = (callerAudio ?? request).sentTo?.({ name, host, microsPerHour, microsPerSpokenHour });
    // The local voice ends a sentence that another brain began.
    const mayPlay = playsVoice === true && begun === undefined && task === undefined;
    const voice = mayPlay ? settings.voice : undefined;
    const usualTokens = voice === undefined ? DEFAULT_TOKENS : MAX_TOKENS;
    const maxTokens = Math.min(task?.maxTokens ?? settings.maxTokens ?? usualTokens, MAX_TOKENS);
    const answer =
      voice === undefined
        ? null
        : new AnswerVoice({ name, host, rate: MODEL_VOICE_RATE, firstAudioMs, betweenAudioMs });
    const watch = new Watchdog(signal, limits.answerMs);
    // A call that ends is billed before this generator has ended, so each piece of audio counts as it comes.
    const response = new RealtimeResponse(answer, (ms) => use?.spoke(ms));
    try {
      watch.arm(limits.firstEventMs);
      const first = realtimeMessages(request, { dialect, maxTokens, voice });
      for await (const message of socketMessages({ gate, url, headers, first, signal: watch.signal })) {
        if (typeof message !== 'string') continue;
        const wasSounding = response.isSounding;
        for (const event of response.take(message)) {
          watch.arm(Math.min(limits.stallMs, soundIsLateAfter(response, betweenAudioMs)));
          count(use, event);
          yield event;
        }
        if (wasSounding && !response.isSounding) watch.arm(limits.stallMs);
        if (response.isDone) return;
      }
      if (signal.aborted) return;
      throw watch.expired ? tooLate() : ended();
    } catch (error) {
      if (signal.aborted) return;
      use?.failed();
      throw toBrainError(error);
    } finally {
      answer?.finish('cut');
      watch.stop();
    }
  }
  return { name, respond, close: () => gate.close() };
}

/** The caller hears a gap where the next audio comes later than all audio so far takes to play. */
function soundIsLateAfter(
  { soundedAt, isSounding, soundMs }: RealtimeResponse,
  betweenAudioMs: number,
): number {
  if (soundedAt === null || !isSounding) return Number.POSITIVE_INFINITY;
  const leftMs = soundedAt + soundMs - performance.now();
  return Math.max(betweenAudioMs, leftMs - TAKEOVER_MS);
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
