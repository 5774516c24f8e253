/** The process erases a data subject, and dies by SIGKILL before the given statement. */
import type { KyselyPlugin } from 'kysely';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { openStorage, type Storage, type StorageOptions } from '../../../src/foundation/storage/index.ts';
import { erasuresOn, HERE, PERSON } from './crash-modules.ts';

interface Input {
  readonly storage: StorageOptions;
  readonly folder: string;
  readonly at: number;
}

const input = JSON.parse(process.argv[2] as string) as Input;
const plain = await openStorage(input.storage);
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
const erasures = await erasuresOn(storage, input.folder);
await erasures.erase(HERE, PERSON, SYSTEM_ACTOR);
await plain.close();
process.exit(0);
