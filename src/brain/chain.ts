import { type Clock, systemClock } from '../platform/clock.ts';
import { type Brain, BrainError, type BrainEvent, type BrainRequest } from './contract.ts';

export interface ChainOptions {
  /** Tries of each brain before the next one is asked. One that took its time is not asked again. */
  readonly attempts?: number;
  readonly clock?: Clock;
  readonly onFault?: (brain: string, error: BrainError) => void;
}

/** A brain that could not be reached, or not in time, is passed over for so long while there is another: each caller would
 * wait for the same failure. */
const REST_MS = 10_000;

/** Asks the brains in order. A brain is left for the next only before its first event: words that the caller may have
 * heard are never said again by another. */
export function createBrainChain(brains: readonly Brain[], options: ChainOptions = {}): Brain {
  if (brains.length === 0) throw new RangeError('a chain needs at least one brain');
  const attempts = options.attempts ?? 2;
  const clock = options.clock ?? systemClock;
  const resting = new Map<Brain, { until: number; error: BrainError }>();

  /** The error of the last try; null once the brain has answered. */
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
          spoken = true;
          yield event;
        }
        return null;
      } catch (error) {
        if (signal.aborted) return null;
        if (!(error instanceof BrainError)) throw error;
        options.onFault?.(brain.name, error);
        if (spoken) throw error;
        last = error;
        if (!error.retryable || error.fault === 'timeout') break;
      }
    }
    return last;
  }

  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    let last: BrainError | null = null;
    for (const [index, brain] of brains.entries()) {
      const rest = resting.get(brain);
      const hasNext = index < brains.length - 1;
      if (rest !== undefined && hasNext && clock.monotonic() < rest.until) {
        last = rest.error;
        continue;
      }
      resting.delete(brain);
      if (last !== null) yield { kind: 'fallback', fault: last.fault };
      last = yield* ask(brain, request, signal);
      if (last === null) return;
      if (last.fault === 'timeout' || last.fault === 'unreachable') {
        resting.set(brain, { until: clock.monotonic() + REST_MS, error: last });
      }
    }
    throw last ?? new BrainError('unreachable', 'no brain answered', { retryable: false });
  }

  return {
    name: brains.map((brain) => brain.name).join('>'),
    respond,
    prepare: (persona, language) => {
      for (const brain of brains) brain.prepare?.(persona, language);
    },
  };
}
