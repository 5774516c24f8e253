import { type Clock, systemClock } from '../../../foundation/platform/clock.ts';
import { type Brain, BrainError, type BrainEvent, type BrainRequest } from '../contract.ts';
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

const WORDLESS: ReadonlySet<BrainEvent['kind']> = new Set(['thinking', 'usage', 'truncated']);

/**
 * Asks the brains in order. The chain switches to the next brain only before the first event of an answer, so that it
 * never repeats words that the caller may have heard.
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
  ): AsyncGenerator<BrainEvent, BrainError | null> {
    let last: BrainError | null = null;
    for (let attempt = 0; attempt < attempts; attempt++) {
      let spoken = false;
      try {
        for await (const event of brain.respond(request, signal)) {
          spoken ||= !WORDLESS.has(event.kind);
          yield event;
        }
        // An empty answer is requested once more; a brain that means it stays silent again.
        if (spoken || signal.aborted || attempt > 0) return null;
      } catch (error) {
        if (signal.aborted) return null;
        if (!(error instanceof BrainError)) throw error;
        options.onFault?.(brain.name, error);
        if (spoken) throw error;
        last = error;
        if (!error.retryable || error.fault === 'timeout') break;
        const waitMs = error.retryAfterMs ?? 0;
        if (waitMs > MAX_WAIT_MS || attempt + 1 === attempts) break;
        if (waitMs > 0) await pause(clock, waitMs, signal);
        if (signal.aborted) return null;
      }
    }
    return last;
  }

  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    const owner = request.owner ?? '';
    let last: BrainError | null = null;
    let first: BrainError | null = null;
    for (const [index, brain] of brains.entries()) {
      const rest = index < brains.length - 1 ? circuitBreaker.refusalFor(brain, owner) : null;
      if (rest !== null) {
        last = rest;
        first ??= rest;
        continue;
      }
      if (last !== null) yield { kind: 'fallback', fault: last.fault };
      last = yield* ask(brain, request, signal);
      if (last === null) {
        if (!signal.aborted) circuitBreaker.onSuccess(brain);
        return;
      }
      first ??= last;
      if (last.fault === 'timeout' || last.fault === 'unreachable')
        circuitBreaker.onFailure(brain, owner, last);
      else if ((last.retryAfterMs ?? 0) > MAX_WAIT_MS)
        circuitBreaker.onFailure(brain, owner, last, last.retryAfterMs);
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
