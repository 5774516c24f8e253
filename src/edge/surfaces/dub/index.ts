import type { Surface } from '../../server/surface.ts';
import { DubClient, type DubSubmitDeps } from './dub-client.ts';
import { fileRoutes } from './file-routes.ts';
import { dubRoutes, healthRoute, segmentRoutes } from './routes.ts';
import { submitRoutes } from './submit-routes.ts';

export interface DubSurface extends Surface {
  readonly client: DubClient;
}

export function createDubSurface(deps: DubSubmitDeps): DubSurface {
  const client = new DubClient(deps);
  return {
    name: 'dub',
    client,
    routes: (app) => {
      healthRoute(app, deps.dubbing);
      submitRoutes(app, client);
      dubRoutes(app, deps.dubbing);
      segmentRoutes(app, deps.dubbing, deps.voices);
      fileRoutes(app, client);
    },
    start: () => deps.dubbing.start(),
    stop: (deadlineMs) => deps.dubbing.stop(deadlineMs),
  };
}
