import { type Clock, systemClock } from '../../foundation/platform/clock.ts';
import type { ProviderCredential, ProviderUse } from './contract.ts';

interface AskedProvider {
  readonly name: string;
  readonly host: string;
  readonly region?: string | null;
  readonly credential?: ProviderCredential;
}

/** Counts what one call asks of each provider of a kind. */
export class ProviderUses {
  readonly #kind: ProviderUse['kind'];
  readonly #uses = new Map<string, ProviderUse>();
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #startedAt: number;

  /** The call starts now. */
  constructor(kind: ProviderUse['kind'], clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#kind = kind;
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  failed(provider: AskedProvider): void {
    const use = this.of(provider);
    use.failures += 1;
    use.failedOverAtMs ??= Math.round(this.#clock.monotonic() - this.#startedAt);
  }

  of({ name, host, region = null, credential = 'operator' }: AskedProvider): ProviderUse {
    const known = this.#uses.get(name);
    if (known !== undefined) return known;
    const use: ProviderUse = {
      kind: this.#kind,
      provider: name,
      credential,
      region,
      host,
      requests: 0,
      characters: 0,
      soundMs: 0,
      failures: 0,
      costMicros: 0,
    };
    this.#uses.set(name, use);
    return use;
  }

  get all(): readonly ProviderUse[] {
    return [...this.#uses.values()];
  }
}
