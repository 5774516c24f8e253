import type { Engine } from '../engine/index.ts';
import type { Config } from '../platform/config/index.ts';
import type { Surface } from '../server/index.ts';
import { createLoopbackSurface } from '../surfaces/loopback/index.ts';
import { createMcpSurface } from '../surfaces/mcp/index.ts';
import { localAddress } from './local-address.ts';

/** Surfaces that are off until the operator wants them. */
export const optionalSurfaces = (config: Config, engine: Engine, address: () => string): Surface[] => [
  ...(config.mcp ? [createMcpSurface({ ownAddress: () => localAddress(address(), config) })] : []),
  ...(config.loopbackSocket ? [createLoopbackSurface({ engine })] : []),
];
