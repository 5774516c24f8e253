import { systemClock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { FairTurns } from '../platform/fair-turns.ts';
import { hashed, matchesHash } from './hashing.ts';
import { isOwnMachine, sourceNetwork } from './networks.ts';
import { Pace } from './pace.ts';

/** argon2id, the library's default algorithm, with the memory and passes that RFC 9106 gives for little memory: the
 * hash is all that slows guessing. */
const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };
/** One thread hashes: this many wait at it, so that it never waits for the next. */
const AT_ONCE = 2;
/** A network's attempts after its first begin so far apart, but on the server's own machine: a flood of them is
 * one hash in that time, and people who sign in do not notice. */
const pace = new Pace(systemClock, { burst: 30, eachMs: 1_500 });
const LONGEST_MS = 60_000;

/** Nobody's password: an unknown e-mail address costs the same work as a wrong password. */
let nobody: Promise<string> | undefined;
const nobodysHash = (): Promise<string> => {
  nobody ??= hashed('nobody has this password', COST);
  return nobody;
};

/** In turns by network: however many sign-ins one sends, another's waits for no more than those that run. */
const turns = new FairTurns({ atOnce: AT_ONCE });

async function inTurn<T>(network: string, task: () => Promise<T>): Promise<T> {
  const wait = isOwnMachine(network) ? 0 : pace.next(network, LONGEST_MS);
  if (wait === null) throw tooManyWait();
  if (wait > 0) await new Promise<void>((resolve) => systemClock.after(wait, resolve));
  return await turns.run(network, task);
}

const tooManyWait = (): ApiError =>
  new ApiError('unavailable', 'Too many sign-ins of your network wait for their turn.', { retryAfter: 60 });

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
