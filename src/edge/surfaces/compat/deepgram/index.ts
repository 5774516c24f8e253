import type { UrlGate } from '../../../../foundation/platform/url-gate/index.ts';
import type { HearLaneRate } from '../../../../media/engine/index.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute, Surface } from '../../../server/surface.ts';
import type { MintToken } from '../openai/client-secret-route.ts';
import { accountRoutes } from './account-routes.ts';
import { agentRoute } from './agent-route.ts';
import type { AgentSessionDeps } from './agent-session.ts';
import { grantRoute } from './grant-route.ts';
import { liveRoute } from './live-route.ts';
import { prerecordedRoute, type RecordingTranscriber } from './prerecorded-route.ts';
import { type DeepgramSpeakDeps, speakRoute, speakSocket } from './speak-routes.ts';
import { turnRoute } from './turn-route.ts';

export interface DeepgramDeps extends AgentSessionDeps {
  readonly transcriber: RecordingTranscriber;
  readonly stream: SocketRoute & {
    accept(
      request: SocketRequest,
      reading: { partials: boolean; stable: boolean; rate: HearLaneRate },
    ): Promise<AcceptedSocket>;
  };
  readonly gate: Pick<UrlGate, 'check' | 'fetch'>;
  readonly mintToken: MintToken;
}

export const createDeepgramSurface = (deps: DeepgramDeps): Surface => ({
  name: 'Deepgram clients',
  routes: (app) => {
    prerecordedRoute(app, deps);
    grantRoute(app, deps.mintToken);
  },
  sockets: [liveRoute(deps), turnRoute(deps), agentRoute(deps)],
});

export const createDeepgramSpeakSurface = (deps: DeepgramSpeakDeps): Surface => ({
  name: 'Deepgram speech clients',
  routes: (app) => {
    speakRoute(app, deps);
    accountRoutes(app, deps.voices);
  },
  sockets: [speakSocket(deps)],
});
