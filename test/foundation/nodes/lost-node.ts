import type { Clock } from '../../../src/foundation/platform/clock.ts';
import { acrossTenants, type Storage } from '../../../src/foundation/storage/index.ts';

type Calls = 'omni_calls' | 'telephony_calls' | 'msgapp_calls';

/** The call is another node's. */
export async function moveToNode(table: Calls, id: string, node: string, storage: Storage): Promise<void> {
  await acrossTenants(storage.db).updateTable(table).set({ node_id: node }).where('id', '=', id).execute();
}

/** The call is one of a node that was taken for lost. */
export async function moveToLostNode(
  table: Calls,
  id: string,
  storage: Storage,
  clock: Clock,
): Promise<void> {
  const now = clock.now();
  const lost = { id: 'node_lost', started_at: now, seen_at: now - 61_000, fence: 2, is_lost: 1 };
  await storage.db
    .insertInto('nodes')
    .values(lost)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await moveToNode(table, id, lost.id, storage);
}
