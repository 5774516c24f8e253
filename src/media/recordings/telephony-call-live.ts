import type { Clock } from '../../foundation/platform/clock.ts';
import { acrossTenants, type Storage } from '../../foundation/storage/index.ts';

/** A telephone call that no process spoke of for this long was lost with its own. */
const LOST_AFTER_MS = 60_000;

/** Whether the telephone call of an agent's talk goes on in some process, which may record people behind the agent. */
export async function isTelephonyCallLive(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  callId: string,
): Promise<boolean> {
  const live = await acrossTenants(storage.db)
    .selectFrom('telephony_calls')
    .select('id')
    .where('state', 'in', ['ringing', 'answered', 'queued'])
    .where('seen_at', '>', clock.now() - LOST_AFTER_MS)
    .where('omni_call_id', '=', callId)
    .executeTakeFirst();
  return live !== undefined;
}
