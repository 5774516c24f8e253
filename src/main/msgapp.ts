import type { LiveCallDeps } from '../conversation/calls/index.ts';
import type { Surface } from '../edge/server/index.ts';
import { createMsgappSurface } from '../edge/surfaces/msgapp/index.ts';
import type { Reach } from '../foundation/access/contract.ts';
import type { Holding } from '../foundation/privacy/index.ts';
import { within } from '../foundation/storage/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import {
  CallDesk,
  CallRecords,
  callsByMessagingOfPersons,
  HangUps,
  LostCalls,
  Numbers,
  Permissions,
  Provider,
} from '../telephony/msgapp/index.ts';
import type { WebRtc } from '../telephony/webrtc/index.ts';
import type { Rooms } from './main.ts';
import { PURPOSES } from './sealing.ts';

export interface MsgappParts {
  readonly holding: Holding;
  surface(live: LiveCallDeps, webrtc: WebRtc): Surface;
}

/** Calls by messaging apps: what is kept of them, and the desk once there is an engine to talk with. */
export async function msgappParts(
  { config, sharedClock, storage, sealing, access, queue, log }: Rooms,
  webhooks: Webhooks,
  suppressed: (reach: Reach, phoneNumber: string) => Promise<boolean>,
): Promise<MsgappParts> {
  const sealer = sealing.sealer(PURPOSES.numbers);
  const provider = new Provider(config.msgappUrl);
  const numbers = new Numbers(storage, sharedClock, sealer, provider);
  const records = new CallRecords(storage, sharedClock, webhooks);
  const permissions = new Permissions(storage, sharedClock, {
    requestsADay: config.msgappRequestsADay,
    requestsAWeek: config.msgappRequestsAWeek,
    grantHours: config.msgappGrantHours,
    unansweredRevoke: config.msgappUnanswered,
    connectedADay: config.msgappConnectedADay,
  });
  const hangUps = new HangUps({ queue, records, numbers, provider, log });
  return {
    holding: callsByMessagingOfPersons(storage),
    surface: (live, webrtc) => {
      const desk = new CallDesk({
        ...live,
        access,
        webrtc,
        storage,
        numbers,
        records,
        permissions,
        provider,
        suppressed,
        standings: access.standings,
      });
      return createMsgappSurface({
        numbers,
        records,
        permissions,
        provider,
        desk,
        lost: new LostCalls({ clock: sharedClock, records, hangUps, live: () => desk.live }),
        log,
        isAgent: async (reach, id) => {
          const found = within(storage.db, reach)
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
