import type { Access } from '../access/contract.ts';
import type { Engine } from '../engine/index.ts';
import type { Config } from '../platform/config/index.ts';
import type { Surface } from '../server/index.ts';
import { createLoopbackSurface } from '../surfaces/loopback/index.ts';
import { createMcpSurface } from '../surfaces/mcp/index.ts';
import type { AgentsParts } from './agents.ts';
import { localAddress } from './local-address.ts';

export interface OptionalNeeds {
  readonly config: Config;
  readonly engine: Engine;
  readonly access: Access;
  readonly agents: AgentsParts;
}

/** Surfaces that are off until the operator wants them. `address`: where the server listens. */
export const optionalSurfaces = (
  { config, engine, access, agents }: OptionalNeeds,
  address: () => string,
): Surface[] => [
  ...(config.mcp ? [mcpSurface(config, access, agents, address)] : []),
  ...(config.loopbackSocket ? [createLoopbackSurface({ engine })] : []),
];

const mcpSurface = (config: Config, access: Access, agents: AgentsParts, address: () => string) =>
  createMcpSurface({
    ownAddress: () => localAddress(address(), config),
    watch: (who, onDead) => access.watch(who, onDead),
    removeAgent: agents.remove,
  });
