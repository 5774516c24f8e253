import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Tracks whether the code runs inside a transaction's callback and refuses queries outside the transaction: on SQLite
 * such a query would deadlock, on PostgreSQL it would not be atomic.
 */
const running = new AsyncLocalStorage<{ open: boolean }>();

export const insideTransaction = (): boolean => running.getStore()?.open === true;

export async function runInsideTransaction<T>(task: () => Promise<T>): Promise<T> {
  const mark = { open: true };
  try {
    return await running.run(mark, task);
  } finally {
    mark.open = false;
  }
}

export function refuseInsideTransaction(): void {
  if (insideTransaction()) {
    throw new Error('A query was sent outside the open transaction: pass the transaction on and use it.');
  }
}
