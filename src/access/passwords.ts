import { hash, verify } from '@node-rs/argon2';
import { ApiError } from '../platform/errors.ts';

/** argon2id, the library's default algorithm, with the memory and passes that RFC 9106 gives for little memory: the
 * hash is all that slows guessing. */
const COST = { memoryCost: 65_536, timeCost: 3, parallelism: 1 };
/** Hashes run on the shared thread pool: this many at once leave room for files and names. */
const AT_ONCE = 2;
const MOST_WAITING = 500;

/** Nobody's password: an unknown e-mail address costs the same work as a wrong password. */
const NOBODY = hash('nobody has this password', COST);

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(task: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MOST_WAITING) {
      throw new ApiError('unavailable', 'Too many sign-ins wait for their turn.', { retryAfter: 2 });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await task();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, COST));

/** `stored` null: no such user; the answer is false after the same work. */
export const passwordMatches = (password: string, stored: string | null): Promise<boolean> =>
  inTurn(async () => {
    const matches = await verify(stored ?? (await NOBODY), password);
    return matches && stored !== null;
  });
