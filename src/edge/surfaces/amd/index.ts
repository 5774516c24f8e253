import type { RetentionSweep } from '../../../foundation/privacy/index.ts';
import type { Surface } from '../../server/surface.ts';
import { amdRoutes, type RoutesDeps } from './routes.ts';
import { streamRoute } from './stream-route.ts';
import type { StreamDeps } from './stream-session.ts';

export interface AmdSurfaceDeps extends StreamDeps, RoutesDeps {
  readonly words: RetentionSweep;
}

export const createAmdSurface = (deps: AmdSurfaceDeps): Surface => ({
  name: 'amd',
  routes: (app) => amdRoutes(app, deps),
  sockets: [streamRoute(deps)],
  start: async () => deps.words.start(),
  stop: async () => deps.words.stop(),
});
