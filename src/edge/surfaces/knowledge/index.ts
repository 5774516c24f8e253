import type { Surface } from '../../server/surface.ts';
import { baseRoutes } from './base-routes.ts';
import { crawlRoutes } from './crawl-routes.ts';
import { type DocumentRoutesDeps, documentRoutes } from './document-routes.ts';

export const createKnowledgeSurface = (deps: DocumentRoutesDeps): Surface => ({
  name: 'knowledge',
  routes: (app) => {
    baseRoutes(app, deps.knowledge);
    documentRoutes(app, deps);
    crawlRoutes(app, deps);
  },
  start: async () => deps.knowledge.start(),
  stop: (deadlineMs) => deps.knowledge.stop(deadlineMs),
});
