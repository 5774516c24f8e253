import { sourceNetwork } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';

/** A carrier's machines open many streams from one network, and each says at once whose it is. */
export const STRANGERS_PER_NETWORK = 256;
/** For whoever opened a socket to say who it is. */
export const STRANGER_MS = 15_000;

/** Open sockets whose peer has not shown yet who it is, by source network. */
export class Strangers {
  readonly #open = new Map<string, number>();

  /** Returns what gives the place back; it may be called twice. Throws ApiError where the network has all that it may have. */
  enter(remoteAddress: string): () => void {
    const network = sourceNetwork(remoteAddress);
    const open = this.#open.get(network) ?? 0;
    if (open >= STRANGERS_PER_NETWORK)
      throw new ApiError(
        'rate_limit_exceeded',
        `${STRANGERS_PER_NETWORK} sockets of your network have not said yet whose they are. Send the key with the upgrade, or in the first frame.`,
        { retryAfter: STRANGER_MS / 1000 },
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
