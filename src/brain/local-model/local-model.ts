import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Brain, BrainError, type BrainEvent, type BrainRequest } from '../contract.ts';
import { systemPrompt, withPassages } from '../prompt.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { runtimeEntry } from './runtime.ts';

export interface LocalModelOptions {
  /** The GGUF file. */
  readonly model: string;
  /** Where `installRuntime` put the runtime. */
  readonly runtimeDir: string;
  readonly maxTokens?: number;
  readonly onFault?: (message: string) => void;
  /** Only tests give their own program. */
  readonly worker?: string;
}

const MAX_TOKENS = 300;

/** The compiled program, also when this file runs from its source. */
const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url.replace('/src/brain/', '/dist/brain/')));

interface Question {
  push(message: FromWorker): void;
}

/** A GGUF model in a process of its own: whatever it does to itself, the server goes on. The process starts with the
 * first question and again after it died. */
export function createLocalModel(options: LocalModelOptions): Brain & { close(): Promise<void> } {
  const questions = new Map<number, Question>();
  let nextId = 0;
  let child: ChildProcess | null = null;
  let unusable: string | null = null;
  let closing = false;

  const tellAll = (message: string): void => {
    for (const [id, question] of questions) question.push({ kind: 'failed', id, message });
  };

  function start(): ChildProcess {
    unusable = null;
    const started = fork(options.worker ?? WORKER, [runtimeEntry(options.runtimeDir), options.model], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.on('message', (message: FromWorker) => {
      if (message.kind === 'unusable') unusable = message.message;
      else if (message.kind !== 'ready') questions.get(message.id)?.push(message);
    });
    started.on('error', (error) => options.onFault?.(error.message));
    started.on('exit', () => {
      child = null;
      const reason = unusable ?? 'the process of the local model ended';
      if (!closing) options.onFault?.(reason);
      tellAll(reason);
    });
    return started;
  }

  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    if (signal.aborted) return;
    child ??= start();
    const process = child;
    const id = nextId++;
    const inbox = new Inbox();
    questions.set(id, inbox);
    const cancel = (): void => {
      send(process, { kind: 'cancel', id });
      inbox.push({ kind: 'done', id });
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      send(process, { kind: 'ask', id, question: questionOf(request, options.maxTokens ?? MAX_TOKENS) });
      yield* inbox.events();
    } finally {
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
    process.kill();
    await gone;
  }

  return { name: 'local-model', respond, close };
}

/** A process that has just died can't be told anything; its exit tells everybody who waits. */
function send(child: ChildProcess, message: ToWorker): void {
  if (child.connected) child.send(message, () => undefined);
}

const questionOf = (request: BrainRequest, maxTokens: number) => ({
  system: systemPrompt(request),
  messages: withPassages(request),
  tools: request.tools,
  maxTokens,
  ...(request.seed === undefined ? {} : { seed: request.seed }),
  ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
});

class Inbox implements Question {
  readonly #messages: FromWorker[] = [];
  #wake: () => void = () => undefined;

  push(message: FromWorker): void {
    this.#messages.push(message);
    this.#wake();
  }

  async *events(): AsyncGenerator<BrainEvent> {
    for (;;) {
      const message = this.#messages.shift();
      if (message === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if (message.kind === 'event') yield message.event;
      else if (message.kind === 'done') return;
      else if (message.kind === 'failed')
        throw new BrainError('unreachable', message.message, { retryable: true });
    }
  }
}
