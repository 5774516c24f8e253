import type { KyselyPlugin } from 'kysely';
import type { Storage } from '../../../src/foundation/storage/index.ts';

export function dyingAt(plain: Storage, statement: number): Storage {
  let statements = 0;
  const dying: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (statements === statement) process.kill(process.pid, 'SIGKILL');
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const db = plain.db.withPlugin(dying);
  return new Proxy(plain, {
    get: (target, name) => {
      if (name === 'db') return db;
      if (name === 'transaction')
        return (work: Parameters<Storage['transaction']>[0]) =>
          target.transaction((transaction) => work(transaction.withPlugin(dying) as typeof transaction));
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  }) as Storage;
}
