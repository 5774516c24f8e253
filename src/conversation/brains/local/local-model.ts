import type { ChildProcess } from 'node:child_process';
import { type Clock, systemClock } from '../../../foundation/platform/clock.ts';
import {
  type Brain,
  type BrainCallContext,
  BrainError,
  type BrainEvent,
  type BrainLanguage,
  type BrainRequest,
} from '../contract.ts';
import { withoutReasoning } from '../endpoint/reasoning-filter.ts';
import { conversationMessages, systemPrompt } from '../prompt.ts';
import { withWrittenCalls } from '../written-calls.ts';
import { AnswerAdmission } from './answer-admission.ts';
import { type ModelProcessOptions, startModelProcess } from './model-process.ts';
import type { LocalModelFacts, LocalQuestion, ToWorker } from './protocol.ts';
import { TOO_SLOW, WorkerMessageQueue } from './worker-message-queue.ts';

export interface LocalModelOptions extends ModelProcessOptions {
  readonly maxTokens?: number;
  /** The timeout includes loading the model. */
  readonly firstEventMs?: number;
  readonly stallMs?: number;
  readonly clock?: Clock;
  readonly onFault?: (message: string) => void;
  /** An answer is refused that would leave the others fewer tokens per second; speech needs about four. */
  readonly leastTokensPerSecond?: number;
  readonly onReady?: (facts: LocalModelFacts) => void;
}

const DEFAULTS = { maxTokens: 300, firstEventMs: 3_500, stallMs: 4_000, leastTokensPerSecond: 6 };
/** Tasks outside of calls may read the record of a whole call on the CPU. */
const OUTSIDE_OF_CALLS = { firstEventMs: 120_000, stallMs: 30_000 };
/** A model that failed to load is not retried this long, because each turn would wait for the same failure. */
const UNUSABLE_RETRY_MS = 30_000;

export interface LocalModel extends Brain {
  readonly pid: number | null;
  close(): Promise<void>;
}

/**
 * The model runs in a separate process, so that its crash does not end the server. The process starts with the first
 * call, and again after a crash.
 */
export function createLocalModel(options: LocalModelOptions): LocalModel {
  const settings = { ...DEFAULTS, clock: systemClock, ...options };
  const { clock } = settings;
  const admission = new AnswerAdmission(clock, settings.leastTokensPerSecond);
  const questions = new Map<number, WorkerMessageQueue>();
  let nextId = 0;
  let child: ChildProcess | null = null;
  let unusable: { readonly message: string; readonly until: number } | null = null;
  let closing = false;

  const failAll = (message: string): void => {
    for (const [id, question] of questions)
      question.push({ kind: 'failed', id, fault: 'unreachable', message });
  };

  function start(): ChildProcess {
    const started = startModelProcess(options, {
      message: (message) => {
        if (message.kind === 'ready') loaded(message.facts);
        else if (message.kind === 'unusable') rest(message.message);
        else questions.get(message.id)?.push(message);
      },
      ended: (reason, wasReady) => {
        if (child !== started) return;
        child = null;
        // A process that exited before loading the model would fail for the next caller too.
        if (!wasReady && !closing) rest(reason);
        if (!closing) options.onFault?.(unusable?.message ?? reason);
        failAll(unusable?.message ?? reason);
      },
    });
    return started;
  }

  function loaded(facts: LocalModelFacts): void {
    admission.recordRate(1, facts.writtenTokensPerSecond);
    options.onReady?.(facts);
  }

  function rest(message: string): void {
    unusable ??= { message, until: clock.monotonic() + UNUSABLE_RETRY_MS };
  }

  function running(): ChildProcess {
    if (unusable !== null && clock.monotonic() < unusable.until && child === null) {
      throw new BrainError('unreachable', unusable.message, { retryable: false });
    }
    if (child === null) unusable = null;
    child ??= start();
    return child;
  }

  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    if (signal.aborted) return;
    const process = running();
    const refusal = admission.refusal();
    // The chain should ask the next brain at once, because this one would refuse again.
    if (refusal !== null) throw new BrainError('overloaded', refusal, { retryable: false });
    const admitted = admission.admit();
    const id = nextId++;
    const inbox = new WorkerMessageQueue(admitted.recordRate);
    questions.set(id, inbox);
    const cancel = (): void => inbox.push({ kind: 'done', id });
    signal.addEventListener('abort', cancel, { once: true });
    let stop = (): void => undefined;
    const wait = (ms: number): void => {
      stop();
      stop = clock.after(ms, () => inbox.push({ kind: 'failed', id, fault: 'timeout', message: TOO_SLOW }));
    };
    const timeouts = request.task === undefined ? settings : OUTSIDE_OF_CALLS;
    try {
      wait(timeouts.firstEventMs);
      send(process, { kind: 'ask', id, question: questionOf(request, settings.maxTokens) });
      for await (const event of withWrittenCalls(withoutReasoning(inbox.events()), request)) {
        if (signal.aborted) return;
        // The timeout does not count while the session processes an event.
        stop();
        yield event;
        wait(timeouts.stallMs);
      }
    } finally {
      admitted.release();
      stop();
      signal.removeEventListener('abort', cancel);
      questions.delete(id);
      send(process, { kind: 'cancel', id });
    }
  }

  async function close(): Promise<void> {
    closing = true;
    const process = child;
    if (process === null) return;
    const gone = new Promise<void>((resolve) => process.once('exit', () => resolve()));
    // The process holds no state, and a model within a step may not react to SIGTERM.
    process.kill('SIGKILL');
    await gone;
  }

  /** Loads the model while the greeting plays, and evaluates the common prefix of the call's prompts. */
  function prepare(persona: string, language: BrainLanguage, of: BrainCallContext = {}): void {
    if (unusable !== null || closing) return;
    child ??= start();
    const request = { persona, language, messages: [], tools: [], passages: [], ...of };
    if (of.call !== undefined)
      send(child, { kind: 'prepare', question: questionOf(request, settings.maxTokens) });
  }

  return {
    name: 'local-model',
    get pid() {
      return child?.pid ?? null;
    },
    respond,
    prepare,
    close,
  };
}

/** A process that has just exited cannot receive messages; its exit event fails all pending questions. */
function send(child: ChildProcess, message: ToWorker): void {
  if (child.connected) child.send(message, () => undefined);
}

const questionOf = (request: BrainRequest, maxTokens: number): LocalQuestion => ({
  call: request.call ?? '',
  owner: request.owner ?? '',
  system: systemPrompt(request),
  messages: conversationMessages(request),
  tools: request.tools,
  maxTokens: request.task?.maxTokens ?? maxTokens,
  ...(request.begun === undefined ? {} : { begun: request.begun.trimEnd() }),
  ...(request.task?.schema === undefined ? {} : { schema: request.task.schema }),
  ...(request.seed === undefined ? {} : { seed: request.seed }),
  ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
});
