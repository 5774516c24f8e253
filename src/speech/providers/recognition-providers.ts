import type { Clock } from '../../foundation/platform/clock.ts';
import { ProviderCircuitBreaker } from './circuit-breaker.ts';
import type { ProviderError } from './contract.ts';
import type { RecognitionProvider } from './recognition.ts';

/** The entry of this name in the operator's list serves agents that name none. */
const DEFAULT = 'default';

export interface ListedRecognitionProvider {
  readonly provider: RecognitionProvider;
  readonly fallback?: string;
}

export interface RecognitionProvidersOptions {
  readonly clock: Clock;
  readonly list: readonly ListedRecognitionProvider[];
  readonly onFailure?: (provider: RecognitionProvider, error: ProviderError) => void;
}

export class RecognitionProviders {
  readonly #options: RecognitionProvidersOptions;
  readonly #breaker: ProviderCircuitBreaker;
  readonly #byName: ReadonlyMap<string, ListedRecognitionProvider>;

  constructor(options: RecognitionProvidersOptions) {
    this.#options = options;
    this.#breaker = new ProviderCircuitBreaker(options.clock);
    this.#byName = new Map(options.list.map((entry) => [entry.provider.name, entry]));
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  /**
   * An agent that names a recognizer of this server is heard here alone. A provider of the customer's own stands before
   * those of the list, and only the local recognizer stands behind it.
   */
  chainOf(name: string | null, own: readonly RecognitionProvider[] = []): readonly RecognitionProvider[] {
    const mine = own.find((provider) => provider.name === (name ?? DEFAULT));
    if (mine !== undefined) return [mine];
    const first = this.#byName.get(name ?? DEFAULT);
    const second = first?.fallback === undefined ? undefined : this.#byName.get(first.fallback);
    return [first, second].flatMap((entry) => (entry === undefined ? [] : [entry.provider]));
  }

  /** Returns null for the local recognizer. */
  admitted(
    chain: readonly RecognitionProvider[],
    language: string,
    owner: string,
  ): RecognitionProvider | null {
    return (
      chain.find((provider) => provider.serves(language) && this.#breaker.admits(idOf(provider), owner)) ??
      null
    );
  }

  onSuccess(provider: RecognitionProvider, owner: string): void {
    this.#breaker.onSuccess(idOf(provider), owner);
  }

  onFailure(provider: RecognitionProvider, error: ProviderError, owner: string): void {
    this.#breaker.onFailure(idOf(provider), owner);
    this.#options.onFailure?.(provider, error);
  }
}

const idOf = ({ id, name }: RecognitionProvider): string => id ?? name;
