import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { openStorage, type Storage, type StorageOptions } from '../../../src/foundation/storage/index.ts';
import { type CrashPoint, crashing, NOVEMBER, work } from './crash-work.ts';

/** The process dies by SIGKILL at the given commit. */
interface Input {
  readonly storage: StorageOptions;
  readonly orgId: string;
  readonly projectId: string;
  readonly crash: CrashPoint;
}

const input = JSON.parse(process.argv[2] as string) as Input;
const plain: Storage = await openStorage(input.storage);
const storage = crashing(plain, input.crash, () => {
  process.kill(process.pid, 'SIGKILL');
  // The signal ends the process before this thread runs on; nothing may be committed meanwhile.
  return new Promise(() => {});
});
const clock = { now: () => NOVEMBER, monotonic: () => 0, after: () => () => {} };
await work(
  storage,
  (when) =>
    createBilling({
      storage,
      clock: { ...clock, now: () => when },
      background: new BackgroundTasks({ clock: { ...clock, now: () => when } }),
    }),
  input,
);
await plain.close();
