import type { RetentionSweep } from '../../../foundation/privacy/index.ts';
import type { Surface } from '../../server/surface.ts';
import { type AmdRoutesDeps, amdRoutes } from './routes.ts';
import { amdStreamRoute } from './stream-route.ts';
import type { AmdStreamDeps } from './stream-session.ts';

export interface AmdSurfaceDeps extends Omit<AmdStreamDeps, 'calls'>, AmdRoutesDeps {
  readonly words: RetentionSweep;
}

export const createAmdSurface = (deps: AmdSurfaceDeps): Surface => ({
  name: 'amd',
  routes: (app) => amdRoutes(app, deps),
  sockets: [amdStreamRoute(deps)],
  start: async () => deps.words.start(),
  stop: async () => deps.words.stop(),
});
