import { ApiError } from '../platform/errors.ts';
import type { Principal } from './contract.ts';
import { sourceNetwork } from './networks.ts';
import { type RatePolicy, type Rates, rateHeaders } from './rates.ts';
import { tooManyRequests } from './refusals.ts';

type Headers = Record<string, string>;

/** What a request takes out of the rates of its network and its key, and what answers say of them. */
export class RequestRates {
  readonly #rates: Rates;
  readonly #network: RatePolicy;

  constructor(rates: Rates, network: RatePolicy) {
    this.#rates = rates;
    this.#network = network;
  }

  async spend(principal: Principal, remoteAddress: string): Promise<Headers> {
    const network = await this.spendNetwork(remoteAddress);
    if (principal.keyId === null) return network;
    const verdict = await this.#rates.consume(keyPolicy(principal), principal.keyId);
    const headers = rateHeaders(verdict);
    if (!verdict.allowed) throw tooManyRequests('key', verdict.resetMs, headers);
    return headers;
  }

  /** Throws when the network's rate is used up. */
  async spendNetwork(remoteAddress: string): Promise<Headers> {
    const verdict = await this.#rates.consume(this.#network, sourceNetwork(remoteAddress));
    const headers = rateHeaders(verdict);
    if (!verdict.allowed) throw tooManyRequests('network', verdict.resetMs, headers);
    return headers;
  }

  /** A refusal says what is left of the rate, of which it takes nothing: of the key's where there is one, else of the network's. */
  async tellOn(error: unknown, remoteAddress: string, principal: Principal | null): Promise<unknown> {
    if (!(error instanceof ApiError) || principal?.kind === 'operator') return error;
    const keyId = principal?.keyId ?? null;
    const verdict =
      principal === null || keyId === null
        ? await this.#rates.look(this.#network, sourceNetwork(remoteAddress))
        : await this.#rates.look(keyPolicy(principal), keyId);
    Object.assign(error.headers, { ...rateHeaders(verdict), ...error.headers });
    return error;
  }
}

const keyPolicy = ({ limits: { rps, burst } }: Principal): RatePolicy => ({ name: 'key', rps, burst });
