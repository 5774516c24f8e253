import type { Surface } from '../../server/surface.ts';
import { fileRoutes } from './file-routes.ts';
import { dubRoutes, healthRoute, segmentRoutes } from './routes.ts';
import { type SubmitDeps, submitRoutes } from './submit-routes.ts';

/** Recordings and videos in another language. */
export const createDubSurface = (deps: SubmitDeps): Surface => ({
  name: 'dub',
  routes: (app) => {
    healthRoute(app, deps.room);
    submitRoutes(app, deps);
    dubRoutes(app, deps.room);
    segmentRoutes(app, deps.room, deps.voices);
    fileRoutes(app, deps.room, deps.blobs);
  },
  start: () => deps.room.start(),
  stop: (deadlineMs) => deps.room.stop(deadlineMs),
});
