import { ApiError } from '../platform/errors.ts';
import { FairTurns, TooManyWaiting } from '../platform/fair-turns.ts';
import { hashed, matchesHash } from './hashing.ts';
import { sourceNetwork } from './networks.ts';

/** argon2id, the library's default algorithm, with the memory and passes that RFC 9106 gives for little memory: the
 * hash is all that slows guessing. */
const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };
/** One thread hashes: this many wait at it, so that it never waits for the next. */
const AT_ONCE = 2;
const MOST_WAITING_EACH = 500;

/** Nobody's password: an unknown e-mail address costs the same work as a wrong password. */
let nobody: Promise<string> | undefined;
const nobodysHash = (): Promise<string> => {
  nobody ??= hashed('nobody has this password', COST);
  return nobody;
};

/** In turns by network: however many sign-ins one sends, another's waits for no more than those that run. */
const turns = new FairTurns({ atOnce: AT_ONCE, waitingEach: MOST_WAITING_EACH });

async function inTurn<T>(network: string, task: () => Promise<T>): Promise<T> {
  try {
    return await turns.run(network, task);
  } catch (error) {
    if (!(error instanceof TooManyWaiting)) throw error;
    throw new ApiError('unavailable', 'Too many sign-ins of your network wait for their turn.', {
      retryAfter: 2,
    });
  }
}

export const hashPassword = (password: string, remoteAddress: string): Promise<string> =>
  inTurn(sourceNetwork(remoteAddress), () => hashed(password, COST));

/** `stored` null: no such user; the answer is false after the same work. */
export const passwordMatches = (
  password: string,
  stored: string | null,
  remoteAddress: string,
): Promise<boolean> =>
  inTurn(sourceNetwork(remoteAddress), async () => {
    const matches = await matchesHash(password, stored ?? (await nobodysHash()));
    return matches && stored !== null;
  });
