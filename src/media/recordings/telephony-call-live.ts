import type { Clock } from '../../foundation/platform/clock.ts';
import { acrossTenants, isOwnerGone, type Storage } from '../../foundation/storage/index.ts';

/** Whether the telephone call of an agent's talk goes on in some process, which may record people behind the agent. */
export async function isTelephonyCallLive(
  { storage, clock }: { readonly storage: Storage; readonly clock: Clock },
  callId: string,
): Promise<boolean> {
  const live = await acrossTenants(storage.db)
    .selectFrom('telephony_calls')
    .select('id')
    .where('state', 'in', ['ringing', 'answered', 'queued'])
    .where(({ not }) => not(isOwnerGone('telephony_calls', clock.now())))
    .where('omni_call_id', '=', callId)
    .executeTakeFirst();
  return live !== undefined;
}
