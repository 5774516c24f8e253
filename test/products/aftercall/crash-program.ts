/** The process works on ended calls, and dies by SIGKILL before the given statement. */
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { openStorage, type StorageOptions } from '../../../src/foundation/storage/index.ts';
import { dyingAt } from '../../foundation/storage/dying.ts';
import { afterCallOn, GOOD, scripted } from './services.ts';

interface Input {
  readonly storage: StorageOptions;
  readonly job: string;
  readonly at: number;
  /** Milliseconds by which the clock is ahead: a dead worker's lease has expired. */
  readonly ahead: number;
}

const input = JSON.parse(process.argv[2] as string) as Input;
const clock = { ...systemClock, now: () => Date.now() + input.ahead };
const plain = await openStorage({ ...input.storage, clock });
const storage = dyingAt(plain, input.at);
const { made, queue } = afterCallOn(storage, clock, { model: scripted([GOOD]) });
made.start();
while ((await queue.view(plain.db, input.job)) !== null)
  await new Promise((resolve) => setTimeout(resolve, 20));
await made.stop(0);
await plain.close();
process.exit(0);
