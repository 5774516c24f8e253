import type { HearLaneRate } from '../../../../media/engine/index.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute, Surface } from '../../../server/surface.ts';
import type { MintToken } from '../openai/client-secret-route.ts';
import { accountRoutes } from './account-routes.ts';
import { agentRoute } from './agent-route.ts';
import type { AgentSessionDeps } from './agent-session.ts';
import { type CallbackDeps, DeepgramCallbacks } from './callbacks.ts';
import { grantRoute } from './grant-route.ts';
import { liveRoute } from './live-route.ts';
import { prerecordedRoute, type RecordingTranscriber } from './prerecorded-route.ts';
import { type DeepgramSpeakDeps, speakRoute, speakSocket } from './speak-routes.ts';
import { turnRoute } from './turn-route.ts';

export interface DeepgramDeps extends AgentSessionDeps, CallbackDeps {
  readonly transcriber: RecordingTranscriber;
  readonly stream: SocketRoute & {
    accept(
      request: SocketRequest,
      reading: { partials: boolean; stable: boolean; rate: HearLaneRate },
    ): Promise<AcceptedSocket>;
  };
  readonly mintToken: MintToken;
}

export function createDeepgramSurface(deps: DeepgramDeps): Surface {
  const callbacks = new DeepgramCallbacks(deps);
  return {
    name: 'Deepgram clients',
    routes: (app) => {
      prerecordedRoute(app, deps, callbacks);
      grantRoute(app, deps.mintToken);
    },
    sockets: [liveRoute(deps), turnRoute(deps), agentRoute(deps)],
    start: async () => callbacks.start(),
    stop: (deadlineMs) => callbacks.stop(deadlineMs),
  };
}

export const createDeepgramSpeakSurface = (deps: DeepgramSpeakDeps): Surface => ({
  name: 'Deepgram speech clients',
  routes: (app) => {
    speakRoute(app, deps);
    accountRoutes(app, deps.voices);
  },
  sockets: [speakSocket(deps)],
});
