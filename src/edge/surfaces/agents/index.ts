import type { Agents, CallToolProvider, TestRuns, Tools } from '../../../conversation/agents/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Surface } from '../../server/surface.ts';
import { agentRoutes } from './agent-routes.ts';
import { flowRoutes } from './flow-routes.ts';
import { testRoutes } from './test-routes.ts';
import { toolRoutes } from './tool-routes.ts';
import { versionRoutes } from './version-routes.ts';

export interface AgentsDeps {
  readonly agents: Agents;
  readonly runs: TestRuns;
  readonly tools: CallToolProvider;
  readonly editing: Tools;
  readonly clock: Clock;
  readonly timeZone: string;
}

export const createAgentsSurface = (deps: AgentsDeps): Surface => ({
  name: 'agents',
  routes: (app) => {
    agentRoutes(app, deps);
    versionRoutes(app, deps);
    flowRoutes(app, deps);
    testRoutes(app, deps);
    toolRoutes(app, deps);
  },
});
