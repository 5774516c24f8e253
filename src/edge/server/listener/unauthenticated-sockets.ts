import { sourceNetwork } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';

/** The limit is high because a carrier opens many streams from one network; each authenticates in its first frame. */
export const MAX_UNAUTHENTICATED_PER_NETWORK = 256;
export const AUTHENTICATION_TIMEOUT_MS = 15_000;

export class UnauthenticatedSockets {
  readonly #open = new Map<string, number>();

  /**
   * Returns a function that frees the slot and may be called twice. Throws ApiError when the network has reached its
   * limit.
   */
  acquire(remoteAddress: string): () => void {
    const network = sourceNetwork(remoteAddress);
    const open = this.#open.get(network) ?? 0;
    if (open >= MAX_UNAUTHENTICATED_PER_NETWORK)
      throw new ApiError(
        'rate_limit_exceeded',
        `Your network has ${MAX_UNAUTHENTICATED_PER_NETWORK} open sockets without a credential, which is the limit. Send the API key with the upgrade, or in the first frame.`,
        { retryAfter: AUTHENTICATION_TIMEOUT_MS / 1000 },
      );
    this.#open.set(network, open + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const rest = (this.#open.get(network) ?? 1) - 1;
      if (rest === 0) this.#open.delete(network);
      else this.#open.set(network, rest);
    };
  }
}
