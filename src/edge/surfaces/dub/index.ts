import type { Surface } from '../../server/surface.ts';
import { fileRoutes } from './file-routes.ts';
import { dubRoutes, healthRoute, segmentRoutes } from './routes.ts';
import { type DubSubmitDeps, submitRoutes } from './submit-routes.ts';

export const createDubSurface = (deps: DubSubmitDeps): Surface => ({
  name: 'dub',
  routes: (app) => {
    healthRoute(app, deps.dubbing);
    submitRoutes(app, deps);
    dubRoutes(app, deps.dubbing);
    segmentRoutes(app, deps.dubbing, deps.voices);
    fileRoutes(app, deps.dubbing, deps.blobs);
  },
  start: () => deps.dubbing.start(),
  stop: (deadlineMs) => deps.dubbing.stop(deadlineMs),
});
