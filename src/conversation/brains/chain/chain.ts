import { type Clock, systemClock } from '../../../foundation/platform/clock.ts';
import { type Brain, BrainError, type BrainEvent, type BrainFault, type BrainRequest } from '../contract.ts';
import { AnswerSoFar } from './answer-so-far.ts';
import { BrainCircuitBreaker } from './circuit-breaker.ts';

export interface ChainOptions {
  /** The chain asks each brain this often before the next one, and a brain that timed out only once. */
  readonly attempts?: number;
  readonly clock?: Clock;
  readonly onFault?: (brain: string, error: BrainError) => void;
}

/**
 * A brain that demands a longer pause is skipped for this turn, so that the next one can answer before the caller
 * hears an apology.
 */
const MAX_WAIT_MS = 2_000;

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      stop();
      signal.removeEventListener('abort', over);
      resolve();
    };
    const stop = clock.after(ms, over);
    signal.addEventListener('abort', over);
  });
}

const unfinished = () =>
  new BrainError('garbage', 'the brain did not finish the sentence of another', { retryable: false });

/** A brain may finish what a lost connection cut; one that was late or refused would fail again. */
const MAY_FINISH: ReadonlySet<BrainFault> = new Set(['unreachable', 'garbage']);

/**
 * Asks the brains in order. Where one fails within an answer, the next continues after its last whole word, so that the
 * caller hears one answer.
 */
export function createBrainChain(brains: readonly Brain[], options: ChainOptions = {}): Brain {
  if (brains.length === 0) throw new RangeError('a chain needs at least one brain');
  const attempts = options.attempts ?? 2;
  const clock = options.clock ?? systemClock;
  const circuitBreaker = new BrainCircuitBreaker(clock);

  async function* ask(
    brain: Brain,
    request: BrainRequest,
    signal: AbortSignal,
    answer: AnswerSoFar,
  ): AsyncGenerator<BrainEvent, BrainError | null> {
    let last: BrainError | null = null;
    // A caller who waits within a sentence waits for no second attempt.
    const most = answer.text === '' ? attempts : 1;
    for (let attempt = 0; attempt < most; attempt++) {
      const begun = answer.text;
      const asked = begun === '' ? request : { ...request, begun };
      answer.begin();
      try {
        for await (const event of brain.respond(asked, signal)) yield* answer.pass(event);
        yield* answer.end();
        const isSilent = !answer.isBegun || (begun !== '' && answer.text === begun && !answer.acts);
        // An empty answer is requested once more; a brain that means it stays silent again.
        if (!isSilent || signal.aborted) return null;
        if (attempt > 0 || begun !== '') return answer.endsSentence ? null : unfinished();
      } catch (error) {
        if (signal.aborted) return null;
        if (!(error instanceof BrainError)) throw error;
        options.onFault?.(brain.name, error);
        last = error;
        if (answer.isBegun || !error.retryable || error.fault === 'timeout') break;
        const waitMs = error.retryAfterMs ?? 0;
        if (waitMs > MAX_WAIT_MS || attempt + 1 === most) break;
        if (waitMs > 0) await pause(clock, waitMs, signal);
        if (signal.aborted) return null;
      }
    }
    return last;
  }

  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    const owner = request.owner ?? '';
    const answer = new AnswerSoFar();
    let last: BrainError | null = null;
    let first: BrainError | null = null;
    let again: Brain | null = null;
    const left = [...brains];
    for (let brain = left.shift(); brain !== undefined; brain = left.shift()) {
      const isAdmitted = left.length === 0 || brain === again;
      const rest = isAdmitted ? null : circuitBreaker.refusalFor(brain, owner);
      if (rest !== null) {
        last = rest;
        first ??= rest;
        continue;
      }
      if (last !== null) {
        const isBegun = answer.text !== '';
        const dropped = isBegun ? answer.resume(brain.startsSentence === true) : 0;
        yield { kind: 'fallback', fault: last.fault, ...(isBegun ? { dropped } : {}) };
      }
      last = yield* ask(brain, request, signal, answer);
      if (last === null) {
        if (!signal.aborted) circuitBreaker.onSuccess(brain);
        return;
      }
      first ??= last;
      // A brain that was cut within its words was reached, and its next answer makes nobody wait.
      if (last.fault === 'timeout' || (last.fault === 'unreachable' && !answer.isBegun))
        circuitBreaker.onFailure(brain, owner, last);
      else if ((last.retryAfterMs ?? 0) > MAX_WAIT_MS)
        circuitBreaker.onFailure(brain, owner, last, last.retryAfterMs);
      // A task's answer is JSON, which only the model that began it can end.
      if (request.task !== undefined && answer.text !== '') throw last;
      if (answer.acts) return;
      const [next] = left;
      const isAsked = brain === again || answer.text === '' || !MAY_FINISH.has(last.fault);
      if (!isAsked && (next === undefined || next.startsSentence === true)) {
        again = brain;
        left.unshift(brain);
      }
    }
    // The first error is reported, because the fallbacks only stand in for that brain.
    throw first ?? new BrainError('unreachable', 'no brain of the chain answered', { retryable: false });
  }

  return {
    name: brains.map((brain) => brain.name).join('>'),
    respond,
    prepare: (persona, language, of) => {
      // Fallback brains warm up too, but do not evaluate the prompt of a call that they may never answer.
      for (const [index, brain] of brains.entries())
        brain.prepare?.(persona, language, index === 0 ? of : undefined);
    },
  };
}
