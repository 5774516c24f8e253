/** Serves OpenAI's Realtime clients with calls of Omni and streams of Hear. The audio routes are Hear's and Speak's own. */
import type { Clock } from '../../../../foundation/platform/clock.ts';
import type { AcceptedSocket, SocketRequest, SocketRoute, Surface } from '../../../server/surface.ts';
import { clientSecretRoute, type MintToken } from './client-secret-route.ts';
import type { CallGateway, Recognize } from './contract.ts';
import { realtimeRoute } from './route.ts';

export interface OpenAiDeps {
  readonly gateway: CallGateway;
  readonly recognize: Recognize;
  /** The stream of Hear. */
  readonly stream: SocketRoute & {
    accept(request: SocketRequest, reading: { partials: boolean; stable: boolean }): Promise<AcceptedSocket>;
  };
  readonly mintToken: MintToken;
  readonly clock: Clock;
}

export const createOpenAiSurface = (deps: OpenAiDeps): Surface => ({
  name: 'OpenAI clients',
  routes: (app) => clientSecretRoute(app, deps),
  sockets: [realtimeRoute(deps)],
});
