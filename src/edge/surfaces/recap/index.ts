import type { Scorecards } from '../../../products/recap/index.ts';
import type { Surface } from '../../server/surface.ts';
import { callRoutes, configRoutes, type RecapRoutesDeps } from './routes.ts';
import { scorecardRoutes } from './scorecard-routes.ts';

export interface RecapSurfaceDeps extends RecapRoutesDeps {
  readonly scorecards: Scorecards;
  readonly start?: () => Promise<void>;
  readonly stop?: (deadlineMs: number) => Promise<void>;
}

export const createRecapSurface = (deps: RecapSurfaceDeps): Surface => ({
  name: 'recap',
  routes: (app) => {
    configRoutes(app, deps);
    callRoutes(app, deps);
    scorecardRoutes(app, deps.scorecards);
  },
  ...(deps.start ? { start: deps.start } : {}),
  ...(deps.stop ? { stop: deps.stop } : {}),
});
