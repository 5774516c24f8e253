import type { Clock } from '../../foundation/platform/clock.ts';
import { ProviderCircuitBreaker } from './circuit-breaker.ts';
import type { ProviderError, SpeechProvider } from './contract.ts';
import { SpeakingPace } from './resume-point.ts';

/** An entry of this name of the operator's list speaks where an agent names none. */
const DEFAULT = 'default';
/** An agent that names this has its speech made here. */
export const LOCAL_VOICE = 'local';

export interface ListedSpeechProvider {
  readonly provider: SpeechProvider;
  /** The name of the entry that is asked while this one is passed over. */
  readonly fallback?: string;
}

export interface SpeechProvidersOptions {
  readonly clock: Clock;
  readonly list: readonly ListedSpeechProvider[];
  readonly onFailure?: (provider: SpeechProvider, error: ProviderError) => void;
}

/** The operator's list of voices elsewhere, and which of them are asked now. Empty: all speech is made here. */
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

  /** Those that a call may ask, in order; none where the agent names none and the list has no default. */
  chainOf(name: string | null): readonly SpeechProvider[] {
    const first = this.#byName.get(name ?? DEFAULT);
    const second = first?.fallback === undefined ? undefined : this.#byName.get(first.fallback);
    return [first, second].flatMap((entry) => (entry === undefined ? [] : [entry.provider]));
  }

  /** The first of the chain that speaks the language and is not passed over; null: the local voice speaks. */
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
