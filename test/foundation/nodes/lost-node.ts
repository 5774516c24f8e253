import { type CallParts, LostCalls } from '../../../src/conversation/calls/index.ts';
import type { Clock } from '../../../src/foundation/platform/clock.ts';
import { acrossTenants, type Storage } from '../../../src/foundation/storage/index.ts';

type Parts = 'omni_calls' | 'telephony_calls' | 'msgapp_calls';

export function lostCallsOf(storage: Storage, clock: Clock, ...parts: readonly CallParts[]): LostCalls {
  const lost = new LostCalls(storage, clock);
  for (const one of parts) lost.add(one);
  return lost;
}

export async function moveToNode(table: Parts, id: string, node: string, storage: Storage): Promise<void> {
  await acrossTenants(storage.db)
    .updateTable('calls')
    .set({ node_id: node })
    .where('id', '=', ({ selectFrom }) => selectFrom(table).select('call_id').where('id', '=', id))
    .execute();
}

export async function moveToLostNode(
  table: Parts,
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
