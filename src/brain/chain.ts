import { type Brain, BrainError, type BrainEvent, type BrainRequest } from './contract.ts';

export interface ChainOptions {
  /** Tries of each brain before the next one is asked. */
  readonly attempts?: number;
  readonly onFault?: (brain: string, error: BrainError) => void;
}

/** Asks the brains in order. A brain is left for the next only before its first event: words that the caller may have
 * heard are never said again by another. */
export function createBrainChain(brains: readonly Brain[], options: ChainOptions = {}): Brain {
  if (brains.length === 0) throw new RangeError('a chain needs at least one brain');
  const attempts = options.attempts ?? 2;

  async function* respond(request: BrainRequest, signal: AbortSignal): AsyncGenerator<BrainEvent> {
    let last: BrainError | undefined;
    for (const brain of brains) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        let spoken = false;
        try {
          for await (const event of brain.respond(request, signal)) {
            spoken = true;
            yield event;
          }
          return;
        } catch (error) {
          if (signal.aborted) return;
          if (!(error instanceof BrainError)) throw error;
          options.onFault?.(brain.name, error);
          if (spoken) throw error;
          last = error;
          if (!error.retryable) break;
        }
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
