/**
 * This process runs a GGUF model. Its arguments are the runtime's folder, the model's file and the number of cached
 * calls. It answers over its IPC channel and ends with its parent.
 */
import { AnswerError, AnswerGeneration, type GenerationListener } from './answer-generation.ts';
import { type LoadedModel, loadModel, type SequenceSlot } from './loaded-model.ts';
import type { FromWorker, LocalQuestion, ToWorker } from './protocol.ts';
import { type CachedSequence, SequenceCache } from './sequence-cache.ts';

interface QuestionWork {
  readonly call: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const notify = (message: FromWorker): void => void process.send?.(message);

class Worker {
  readonly #loaded: LoadedModel;
  readonly #places: SequenceCache<SequenceSlot>;
  readonly #works = new Map<number, QuestionWork>();
  #preparations = 0;

  constructor(loaded: LoadedModel) {
    this.#loaded = loaded;
    this.#places = new SequenceCache(loaded.place, loaded.facts.calls);
  }

  take(message: ToWorker): void {
    if (message.kind === 'cancel') this.#works.get(message.id)?.abort.abort();
    else if (message.kind === 'ask')
      this.#start(message.id, message.question, (abort) => this.#answer(message.id, message.question, abort));
    else
      this.#start(--this.#preparations, message.question, (abort) => this.#prepare(message.question, abort));
  }

  #start(id: number, { call }: LocalQuestion, work: (signal: AbortSignal) => Promise<void>): void {
    const abort = new AbortController();
    const before = this.#givenUp(call);
    const ended = before.then(() => work(abort.signal)).finally(() => this.#works.delete(id));
    this.#works.set(id, { call, abort, ended });
  }

  /**
   * A call's next question aborts its preparation and waits for its aborted work, which holds the sequence until
   * then.
   */
  async #givenUp(call: string): Promise<void> {
    if (call === '') return;
    const own = [...this.#works].filter(([, work]) => work.call === call);
    for (const [id, { abort }] of own) if (id < 0) abort.abort();
    const ending = own.filter(([, { abort }]) => abort.signal.aborted);
    await Promise.all(ending.map(([, { ended }]) => ended));
  }

  async #answer(id: number, question: LocalQuestion, signal: AbortSignal): Promise<void> {
    try {
      if (!signal.aborted)
        await this.#withPlace(question, (answering) => answering.answer(listenerOf(id), signal));
      notify({ kind: 'done', id });
    } catch (error) {
      const fault = error instanceof AnswerError ? error.fault : 'unreachable';
      if (signal.aborted) notify({ kind: 'done', id });
      else notify({ kind: 'failed', id, fault, message: wordsOf(error) });
    }
  }

  /** A failure here is ignored, because the first question reports it. */
  async #prepare(question: LocalQuestion, signal: AbortSignal): Promise<void> {
    await this.#withPlace(question, (answering) => answering.prepare(signal)).catch(() => undefined);
  }

  async #withPlace(
    question: LocalQuestion,
    work: (answering: AnswerGeneration) => Promise<void>,
  ): Promise<void> {
    const sequence: CachedSequence<SequenceSlot> | null = this.#places.acquire(question.call, question.owner);
    if (sequence === null) {
      throw new AnswerError(
        'overloaded',
        `the local model has reached its limit of ${this.#loaded.facts.calls} concurrent answers`,
      );
    }
    try {
      await work(new AnswerGeneration(this.#loaded, sequence.place, question));
    } finally {
      this.#places.release(sequence);
    }
  }
}

const listenerOf = (id: number): GenerationListener => ({
  id,
  event: (event) => notify({ kind: 'event', id, event }),
  measured: (tokens, ms) => notify({ kind: 'measured', id, tokens, ms }),
});

async function main(runtimePath: string, modelPath: string, calls: number): Promise<void> {
  const loaded = await loadModel({ runtimePath, modelPath, calls });
  const worker = new Worker(loaded);
  process.on('message', (message: ToWorker) => worker.take(message));
  notify({ kind: 'ready', facts: loaded.facts });
}

const [runtimePath = '', modelPath = '', calls = '1'] = process.argv.slice(2);
process.on('disconnect', () => process.exit(0));
main(runtimePath, modelPath, Number(calls)).catch((error: unknown) => {
  notify({ kind: 'unusable', message: wordsOf(error) });
  process.exitCode = 1;
  process.disconnect?.();
});
