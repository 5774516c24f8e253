import type { Clock } from '../../foundation/platform/clock.ts';
import { ProviderCircuitBreaker } from './circuit-breaker.ts';
import type { ProviderError, SpeechProvider } from './contract.ts';
import { SpeakingPace } from './resume-point.ts';

/** The entry of this name in the operator's list serves agents that name none. */
const DEFAULT = 'default';
/** Owners and customers' own voices are unbounded; the least recently used pace goes. */
const MOST_PACES = 1_000;
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

  /**
   * Returns the providers of a call in order of preference; empty where neither the agent nor the list names one. A
   * provider of the customer's own stands before those of the list, and only the local voice stands behind it.
   */
  chainOf(name: string | null, own: readonly SpeechProvider[] = []): readonly SpeechProvider[] {
    const mine = own.find((provider) => provider.name === (name ?? DEFAULT));
    if (mine !== undefined) return [mine];
    const first = this.#byName.get(name ?? DEFAULT);
    const second = first?.fallback === undefined ? undefined : this.#byName.get(first.fallback);
    return [first, second].flatMap((entry) => (entry === undefined ? [] : [entry.provider]));
  }

  /**
   * Returns the first provider of the chain that speaks the language and whose circuit admits a request of the owner;
   * null for the local voice.
   */
  admitted(chain: readonly SpeechProvider[], language: string, owner: string): SpeechProvider | null {
    return (
      chain.find((provider) => provider.serves(language) && this.#breaker.admits(idOf(provider), owner)) ??
      null
    );
  }

  /** One owner's texts, such as long numbers, have a pace of their own. */
  paceOf(provider: SpeechProvider, owner: string): SpeakingPace {
    const key = `${idOf(provider)}\n${owner}`;
    const pace = this.#paces.get(key) ?? new SpeakingPace();
    this.#paces.delete(key);
    this.#paces.set(key, pace);
    if (this.#paces.size > MOST_PACES) this.#paces.delete([...this.#paces.keys()][0] as string);
    return pace;
  }

  onSuccess(provider: SpeechProvider, owner: string): void {
    this.#breaker.onSuccess(idOf(provider), owner);
  }

  onFailure(provider: SpeechProvider, error: ProviderError, owner: string): void {
    this.#breaker.onFailure(idOf(provider), owner);
    this.#options.onFailure?.(provider, error);
  }
}

const idOf = ({ id, name }: SpeechProvider): string => id ?? name;
