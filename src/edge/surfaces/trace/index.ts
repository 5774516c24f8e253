import type { Results } from '../../../products/trace/index.ts';
import type { Surface } from '../../server/surface.ts';
import { type ConfigDeps, configRoutes } from './config-routes.ts';
import { type GateDeps, gateRoutes } from './gate-routes.ts';
import { type InteractionDeps, interactionRoutes } from './interaction-routes.ts';
import { type PackDeps, packRoutes } from './pack-routes.ts';
import { resultRoutes } from './result-routes.ts';

export interface TraceSurfaceDeps extends ConfigDeps, GateDeps, InteractionDeps, PackDeps {
  readonly results: Results;
  readonly start?: () => Promise<void>;
  readonly stop?: (deadlineMs: number) => Promise<void>;
}

export const createTraceSurface = (deps: TraceSurfaceDeps): Surface => ({
  name: 'trace',
  routes: (app) => {
    configRoutes(app, deps);
    packRoutes(app, deps);
    interactionRoutes(app, deps);
    resultRoutes(app, deps.results);
    gateRoutes(app, deps);
  },
  ...(deps.start ? { start: deps.start } : {}),
  ...(deps.stop ? { stop: deps.stop } : {}),
});
