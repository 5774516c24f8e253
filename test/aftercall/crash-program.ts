/** A process that works on the calls that are over, and dies by SIGKILL before the statement that it is given. */
import type { KyselyPlugin } from 'kysely';
import { systemClock } from '../../src/platform/clock.ts';
import { openStorage, type Storage, type StorageOptions } from '../../src/storage/index.ts';
import { afterCallOn, GOOD, scripted } from './rooms.ts';

interface Input {
  readonly storage: StorageOptions;
  readonly job: string;
  readonly at: number;
  /** The lease of who died before is over by then. */
  readonly ahead: number;
}

const input = JSON.parse(process.argv[2] as string) as Input;
const clock = { ...systemClock, now: () => Date.now() + input.ahead };
const plain = await openStorage({ ...input.storage, clock });
let statements = 0;
const dying: KyselyPlugin = {
  transformQuery: ({ node }) => {
    if (statements === input.at) process.kill(process.pid, 'SIGKILL');
    statements += 1;
    return node;
  },
  transformResult: async ({ result }) => result,
};
const db = plain.db.withPlugin(dying);
const storage = new Proxy(plain, {
  get: (target, name) => {
    if (name === 'db') return db;
    if (name === 'transaction')
      return (work: Parameters<Storage['transaction']>[0]) =>
        target.transaction((transaction) => work(transaction.withPlugin(dying) as typeof transaction));
    const value = Reflect.get(target, name, target) as unknown;
    return typeof value === 'function' ? value.bind(target) : value;
  },
}) as Storage;
const { made, queue } = afterCallOn(storage, clock, { model: scripted([GOOD]) });
made.start();
while ((await queue.view(plain.db, input.job)) !== null)
  await new Promise((resolve) => setTimeout(resolve, 20));
await made.stop(0);
await plain.close();
process.exit(0);
