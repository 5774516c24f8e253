import type { CastService } from '../../../products/cast/index.ts';
import type { Surface } from '../../server/surface.ts';
import { projectRoutes } from './project-routes.ts';
import { renderRoutes } from './render-routes.ts';

export const createCastSurface = (service: CastService): Surface => ({
  name: 'cast',
  routes: (app) => {
    projectRoutes(app, service);
    renderRoutes(app, service);
  },
  start: () => service.start(),
  stop: (deadlineMs) => service.stop(deadlineMs),
});
