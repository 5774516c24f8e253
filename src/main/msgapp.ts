import type { LiveCallDeps } from '../conversation/calls/index.ts';
import type { Surface } from '../edge/server/index.ts';
import { createMsgappSurface } from '../edge/surfaces/msgapp/index.ts';
import type { TenantScope } from '../foundation/access/contract.ts';
import type { PersonalDataStore } from '../foundation/privacy/index.ts';
import { withinTenant } from '../foundation/storage/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import {
  CallPermissions,
  HangUpQueue,
  LostMsgappCalls,
  MsgappCallStore,
  MsgappCalls,
  MsgappNumbers,
  MsgappProvider,
  msgappPersonalData,
} from '../telephony/msgapp/index.ts';
import type { WebRtcService } from '../telephony/webrtc/index.ts';
import type { CoreServices } from './main.ts';
import { PURPOSES } from './sealing.ts';

export interface MsgappParts {
  readonly personalData: PersonalDataStore;
  surface(live: LiveCallDeps, webrtc: WebRtcService): Surface;
}

export async function msgappParts(
  { config, sharedClock, storage, lostCalls, sealing, access, queue, log }: CoreServices,
  webhooks: Webhooks,
  suppressed: (scope: TenantScope, phoneNumber: string) => Promise<boolean>,
): Promise<MsgappParts> {
  const sealer = sealing.sealer(PURPOSES.numbers);
  const provider = new MsgappProvider(config.msgappUrl);
  const numbers = new MsgappNumbers(storage, sharedClock, sealer, provider);
  const records = new MsgappCallStore(storage, sharedClock, webhooks);
  const permissions = new CallPermissions(storage, sharedClock, {
    requestsADay: config.msgappRequestsADay,
    requestsAWeek: config.msgappRequestsAWeek,
    grantHours: config.msgappGrantHours,
    unansweredRevoke: config.msgappUnanswered,
    connectedADay: config.msgappConnectedADay,
  });
  const hangUps = new HangUpQueue({ queue, records, numbers, provider, log });
  return {
    personalData: msgappPersonalData(storage),
    surface: (live, webrtc) => {
      const calls = new MsgappCalls({
        ...live,
        access,
        webrtc,
        storage,
        numbers,
        records,
        permissions,
        provider,
        suppressed,
        standings: access.impliedPrincipals,
      });
      lostCalls.add(new LostMsgappCalls({ records, hangUps, live: () => calls.live }));
      return createMsgappSurface({
        numbers,
        records,
        permissions,
        provider,
        calls,
        hangUps,
        log,
        isAgent: async (scope, id) => {
          const found = withinTenant(storage.db, scope)
            .selectFrom('agents')
            .select('id')
            .where('id', '=', id)
            .where('published_version', 'is not', null);
          return (await found.executeTakeFirst()) !== undefined;
        },
      });
    },
  };
}
