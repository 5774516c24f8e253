import type { Surface } from '../../server/surface.ts';
import { amdRoutes, type RoutesDeps } from './routes.ts';
import { streamRoute } from './stream-route.ts';
import type { StreamDeps } from './stream-session.ts';

export const createAmdSurface = (deps: StreamDeps & RoutesDeps): Surface => ({
  name: 'amd',
  routes: (app) => amdRoutes(app, deps),
  sockets: [streamRoute(deps)],
});
