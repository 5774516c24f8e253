import type { Clock } from '../../../../foundation/platform/clock.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute, Surface } from '../../../server/surface.ts';
import { clientSecretRoute, type MintToken } from './client-secret-route.ts';
import type { CallGateway, PeerGateway, Recognize } from './contract.ts';
import { peerRoutes } from './peer-routes.ts';
import { realtimeRoute } from './route.ts';

export interface OpenAiDeps {
  readonly gateway: CallGateway;
  /** It is null where this server takes no calls by WebRTC. */
  readonly peers: PeerGateway | null;
  readonly recognize: Recognize;
  readonly stream: SocketRoute & {
    accept(request: SocketRequest, reading: { partials: boolean; stable: boolean }): Promise<AcceptedSocket>;
  };
  readonly mintToken: MintToken;
  readonly clock: Clock;
}

export const createOpenAiSurface = (deps: OpenAiDeps): Surface => ({
  name: 'OpenAI clients',
  routes: (app) => {
    clientSecretRoute(app, deps);
    if (deps.peers !== null) peerRoutes(app, deps, deps.peers);
  },
  sockets: [realtimeRoute(deps)],
});
