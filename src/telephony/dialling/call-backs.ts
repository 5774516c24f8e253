import type { ProfileSource } from '../../conversation/agents/index.ts';
import {
  type CallBack,
  type CallCheckpoints,
  type LostCall,
  labelOfVersion,
} from '../../conversation/calls/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { TelephonyCallRow } from '../../foundation/storage/tables/telephony.ts';
import { requestOf } from './call-view.ts';
import type { CallEnding, CallRequest } from './contract.ts';
import { canonicalNumber } from './phone-numbers.ts';
import type { TelephonyCallStore } from './telephony-call-store.ts';

/** The time in which a caller whose call was lost is dialed and answers. */
const CALL_BACK_WITHIN_MS = 120_000;
/** A caller whose call was lost longer ago, for example while all servers were down, does not wait for it any more. */
const LOST_WITHIN_MS = 600_000;
const CUT: CallEnding = { reason: 'failed', detail: 'the server that handled the call failed' };

export interface CallBacksOptions {
  readonly clock: Clock;
  readonly records: TelephonyCallStore;
  readonly checkpoints: CallCheckpoints | undefined;
  readonly profiles: ProfileSource;
  readonly dial: (trx: Trx, leg: TelephonyCallRow, session: string) => Promise<void>;
}

/** Returns how the caller of a lost leg is called, for the session that goes on. */
export function callBackRequest(leg: TelephonyCallRow, session: string): CallRequest {
  const { variables, webhook_url, max_duration_s } = requestOf(leg);
  return {
    ...(variables === undefined ? {} : { variables }),
    ...(webhook_url === undefined ? {} : { webhook_url }),
    ...(max_duration_s === undefined ? {} : { max_duration_s }),
    // Only a person may hear what the call was about.
    amd: { mode: 'detect' },
    resumes: session,
  };
}

/**
 * Calls a caller back whose call was lost with its node, where the agent allows it: once, and not the target of a
 * campaign, which is dialed again by the campaign. The session is kept meanwhile; if nobody answers in time, it ends
 * and is billed for what was served.
 */
export const callsBack =
  ({ clock, records, checkpoints, profiles, dial }: CallBacksOptions): CallBack =>
  async (call: LostCall) => {
    const { id, scope, seenAt } = call;
    if (clock.now() - seenAt > LOST_WITHIN_MS) return null;
    const legs = await records.legsOf(scope, id);
    const [leg, ...others] = legs.filter(({ state }) => state !== 'ended');
    if (checkpoints === undefined || leg === undefined || others.length > 0) return null;
    if (leg.answered_at === null || leg.campaign_id !== null || leg.number_id === null) return null;
    if (legs.some((one) => requestOf(one).resumes !== undefined)) return null;
    const session = leg.omni_call_id;
    const theirs = leg.direction === 'inbound' ? leg.from_number : leg.to_number;
    const state = session === null ? null : await checkpoints.stateOf(session);
    if (session === null || state === null || canonicalNumber(theirs) === null) return null;
    const label = labelOfVersion(state.agentId, state.agentVersion ?? undefined);
    const profile = await profiles.profileFor(scope, label, session);
    if (profile?.fields.call_back_when_lost !== true) return null;
    return async (trx) => {
      const until = clock.now() + CALL_BACK_WITHIN_MS;
      const outcome = await checkpoints.suspendLost(trx, scope, id, until);
      if (outcome !== 'suspended') return outcome === 'handled';
      await records.endIn(trx, scope, leg.id, { ending: CUT, talkedMs: 0, quality: {}, hold: null });
      await dial(trx, leg, session);
      return true;
    };
  };
