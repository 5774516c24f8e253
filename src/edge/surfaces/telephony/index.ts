import { type Carrier, MANAGED_STREAM_PATH, type PendingStreams } from '../../../telephony/carriers/index.ts';
import type {
  CampaignRunner,
  PhoneNumberService,
  SipTelephones,
  VoicemailDrops,
  Voicemails,
} from '../../../telephony/dialling/index.ts';
import type { Surface } from '../../server/surface.ts';
import { callRoutes, type TelephonyCallRoutesDeps } from './call-routes.ts';
import { callbackRoutes } from './callback-routes.ts';
import { type CampaignRoutesDeps, campaignRoutes } from './campaign-routes.ts';
import { type AgentStreamDeps, agentStreamRoutes } from './customer-stream.ts';
import { numberRoutes } from './number-routes.ts';
import { recordingRoutes } from './recording-routes.ts';
import { registrationRoutes } from './registration-routes.ts';
import { relayRoute } from './relay-route.ts';
import { managedStreamRoute } from './stream-routes.ts';
import { trialRoutes } from './trial-routes.ts';
import { voicemailRoutes } from './voicemail-routes.ts';

export interface TelephonySurfaceDeps extends TelephonyCallRoutesDeps, CampaignRoutesDeps, AgentStreamDeps {
  readonly runner: CampaignRunner;
  readonly carrier: Carrier;
  readonly dock: PendingStreams;
  readonly numbers: PhoneNumberService;
  readonly telephones: SipTelephones;
  readonly voicemails: Voicemails;
  readonly drops: VoicemailDrops;
  readonly onError: (error: unknown) => void;
}

export function createTelephonySurface(deps: TelephonySurfaceDeps): Surface {
  const { carrier, dock, dispatcher, phones, numbers, voicemails, gate, runner, onError } = deps;
  return {
    name: 'telephony',
    routes: (app) => {
      numberRoutes(app, numbers, gate);
      callRoutes(app, deps);
      recordingRoutes(app, deps);
      campaignRoutes(app, deps);
      voicemailRoutes(app, voicemails);
      callbackRoutes(app, carrier);
      trialRoutes(app, numbers, carrier);
      registrationRoutes(app, deps.telephones);
    },
    sockets: [managedStreamRoute(MANAGED_STREAM_PATH, dock), ...agentStreamRoutes(deps), relayRoute(deps)],
    start: async () => {
      await carrier.start();
      dispatcher.start(onError);
      runner.start(onError);
    },
    stop: async (deadlineMs) => {
      await runner.stop(0);
      await dispatcher.stop(0);
      await phones.stop(deadlineMs);
      await carrier.stop();
      deps.commands.stop();
      await deps.drops.stop();
    },
  };
}
