import { ApiError } from '../platform/errors.ts';
import { FairSemaphore, TooManyWaitingError } from '../platform/fair-semaphore.ts';
import { hashInThread, verifyInThread } from './hashing.ts';
import { sourceNetwork } from './networks.ts';

/**
 * The hash is argon2id with the memory and passes that RFC 9106 gives for little memory. Only its cost slows
 * guessing.
 */
const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };
/** One thread hashes. Two jobs at once keep it busy without a gap. */
const AT_ONCE = 2;
const MAX_WAITING_PER_NETWORK = 500;

/** A dummy hash makes an unknown e-mail address cost the same work as a wrong password. */
let dummyPassword: Promise<string> | undefined;
const dummyHash = (): Promise<string> => {
  dummyPassword ??= hashInThread('nobody has this password', COST);
  return dummyPassword;
};

/**
 * The semaphore is fair between networks: a flood of sign-ins from one network delays another's only by the jobs in
 * flight.
 */
const hashSlots = new FairSemaphore({ permits: AT_ONCE, maxWaitingPerTenant: MAX_WAITING_PER_NETWORK });

async function inTurn<T>(network: string, task: () => Promise<T>): Promise<T> {
  try {
    return await hashSlots.run(network, task);
  } catch (error) {
    if (!(error instanceof TooManyWaitingError)) throw error;
    throw new ApiError(
      'unavailable',
      'Too many sign-ins from your network are queued. Try again after a few seconds.',
      {
        retryAfter: 2,
      },
    );
  }
}

export const hashPassword = (password: string, remoteAddress: string): Promise<string> =>
  inTurn(sourceNetwork(remoteAddress), () => hashInThread(password, COST));

export const passwordMatches = (
  password: string,
  stored: string | null,
  remoteAddress: string,
): Promise<boolean> =>
  inTurn(sourceNetwork(remoteAddress), async () => {
    const matches = await verifyInThread(password, stored ?? (await dummyHash()));
    return matches && stored !== null;
  });
