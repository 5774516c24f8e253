/** The process judges and records ended calls, and dies by SIGKILL before the given statement. */
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { openStorage, type StorageOptions } from '../../../src/foundation/storage/index.ts';
import { dyingAt } from '../../foundation/storage/dying.ts';
import { done, followingOn } from './ended-call-services.ts';

interface Input {
  readonly storage: StorageOptions;
  readonly call: string;
  readonly at: number;
  /** Milliseconds by which the clock is ahead: a dead worker's lease has expired. */
  readonly ahead: number;
}

const input = JSON.parse(process.argv[2] as string) as Input;
const clock = { ...systemClock, now: () => Date.now() + input.ahead };
const plain = await openStorage({ ...input.storage, clock });
const services = followingOn(dyingAt(plain, input.at), clock);
for (const one of services.followings) one.start();
await done(services, plain, input.call);
for (const one of services.followings) await one.stop(0);
await plain.close();
process.exit(0);
