import { HaproxyAgentCheck, type Server } from '../edge/server/index.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import type { Log } from '../foundation/platform/log.ts';
import { openOrFailStart } from '../foundation/platform/start-error.ts';
import type { Engine } from '../media/engine/index.ts';

/** Returns null where no port for the agent check is configured. */
export async function startHaproxyAgentCheck(
  config: Pick<Config, 'host' | 'agentCheckPort'>,
  server: Server,
  engine: Engine,
  log: Log,
): Promise<HaproxyAgentCheck | null> {
  const { host, agentCheckPort: port } = config;
  if (port === null) return null;
  const check = new HaproxyAgentCheck({
    host,
    port,
    isServing: async () => !server.isDraining() && (await server.readiness()).ready,
    freeShare: () => {
      const { free, total } = engine.laneCapacity('omni');
      return total === 0 ? 0 : free / total;
    },
    onError: (err) => log.error({ err }, 'the agent check of a load balancer failed'),
  });
  await openOrFailStart('the port of the agent check', 'TRUNKLINE_AGENT_CHECK_PORT', () => check.start());
  return check;
}
