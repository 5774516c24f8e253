import type { Clock } from '../../foundation/platform/clock.ts';
import { ProviderCircuitBreaker } from './circuit-breaker.ts';
import type { ProviderError, SpeechProvider } from './contract.ts';
import { SpeakingPace } from './resume-point.ts';

/** The entry of this name in the operator's list serves agents that name none. */
const DEFAULT = 'default';
/** An agent that names this uses the embedded engine. */
export const LOCAL_VOICE = 'local';

export interface ListedSpeechProvider {
  readonly provider: SpeechProvider;
  readonly fallback?: string;
}

export interface SpeechProvidersOptions {
  readonly clock: Clock;
  readonly list: readonly ListedSpeechProvider[];
  readonly onFailure?: (provider: SpeechProvider, error: ProviderError) => void;
}

export class SpeechProviders {
  readonly #options: SpeechProvidersOptions;
  readonly #breaker: ProviderCircuitBreaker;
  readonly #byName: ReadonlyMap<string, ListedSpeechProvider>;
  readonly #paces = new Map<string, SpeakingPace>();

  constructor(options: SpeechProvidersOptions) {
    this.#options = options;
    this.#breaker = new ProviderCircuitBreaker(options.clock);
    this.#byName = new Map(options.list.map((entry) => [entry.provider.name, entry]));
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  /** Returns the providers of a call in order of preference; empty where neither the agent nor the list names one. */
  chainOf(name: string | null): readonly SpeechProvider[] {
    const first = this.#byName.get(name ?? DEFAULT);
    const second = first?.fallback === undefined ? undefined : this.#byName.get(first.fallback);
    return [first, second].flatMap((entry) => (entry === undefined ? [] : [entry.provider]));
  }

  /**
   * Returns the first provider of the chain that speaks the language and whose circuit admits a request; null for the
   * local voice.
   */
  admitted(chain: readonly SpeechProvider[], language: string): SpeechProvider | null {
    return chain.find((provider) => provider.serves(language) && this.#breaker.admits(provider.name)) ?? null;
  }

  paceOf({ name }: SpeechProvider): SpeakingPace {
    const pace = this.#paces.get(name) ?? new SpeakingPace();
    this.#paces.set(name, pace);
    return pace;
  }

  onSuccess(provider: SpeechProvider): void {
    this.#breaker.onSuccess(provider.name);
  }

  onFailure(provider: SpeechProvider, error: ProviderError): void {
    this.#breaker.onFailure(provider.name);
    this.#options.onFailure?.(provider, error);
  }
}
