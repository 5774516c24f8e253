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

  constructor(kind: ProviderUse['kind']) {
    this.#kind = kind;
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
