import type { TenantScope } from '../../foundation/access/contract.ts';
import type { TelephonyCallRow } from '../../foundation/storage/tables/telephony.ts';
import type { CallCommands } from './call-commands.ts';
import type { CallDispatcher } from './call-dispatcher.ts';
import type { CallEnding } from './contract.ts';
import type { LivePhoneCalls } from './live-phone-calls.ts';
import type { TelephonyCallStore } from './telephony-call-store.ts';

export interface HangUpDeps {
  readonly dispatcher: Pick<CallDispatcher, 'cancel'>;
  readonly commands: Pick<CallCommands, 'run'>;
  readonly phones: Pick<LivePhoneCalls, 'find'>;
  readonly records: Pick<TelephonyCallStore, 'find'>;
}

/**
 * Cancels a call that no node has claimed, and has the owner end one that is dialed or live. An ended call is
 * unchanged. Throws ApiError where no node has the call.
 */
export async function hangUpCall(
  { dispatcher, commands, phones, records }: HangUpDeps,
  scope: TenantScope,
  row: TelephonyCallRow,
): Promise<void> {
  let now: TelephonyCallRow | null = row;
  if (row.state === 'queued' && phones.find(row.id) === null) {
    if (await dispatcher.cancel(scope, row)) return;
    // A node has claimed the call since, or has ended it.
    now = await records.find(scope, row.id);
  }
  if (now === null || now.state === 'ended') return;
  const reason = now.answered_at === null ? ('canceled' as const) : ('completed' as const);
  const ending: CallEnding = { reason, detail: 'hung up by request' };
  await commands.run(scope, now, { kind: 'hang_up', ending });
}
