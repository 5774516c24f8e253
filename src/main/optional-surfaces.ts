import { join } from 'node:path';
import { EMBEDDING_MODEL, embeddingSimilarity, OrphanedAgents } from '../apps/testkit/index.ts';
import type { Surface } from '../edge/server/index.ts';
import { createLoopbackSurface } from '../edge/surfaces/loopback/index.ts';
import { createMcpSurface } from '../edge/surfaces/mcp/index.ts';
import type { AccessControl, Environment } from '../foundation/access/contract.ts';
import { tenantScopeOfRow } from '../foundation/access/index.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import type { Log } from '../foundation/platform/log.ts';
import type { Models } from '../foundation/platform/models/index.ts';
import type { AudioDecoder } from '../media/codec/index.ts';
import { type Engine, embedTexts } from '../media/engine/index.ts';
import type { AgentsParts } from './agents.ts';
import { decodeRecording } from './decode-recording.ts';
import { localAddress } from './local-address.ts';

export interface OptionalNeeds {
  readonly config: Config;
  readonly log: Log;
  readonly engine: Engine;
  readonly models: Models;
  readonly access: AccessControl;
  readonly agents: AgentsParts;
  readonly decoder: AudioDecoder;
}

export const optionalSurfaces = (needs: OptionalNeeds, address: () => string): Surface[] => [
  ...(needs.config.mcp ? [mcpSurface(needs, address)] : []),
  ...(needs.config.loopbackSocket ? [createLoopbackSurface(needs)] : []),
];

const HOSTED_SECONDS = 900;

function mcpSurface(
  { config, log, engine, models, access, agents, decoder }: OptionalNeeds,
  address: () => string,
): Surface {
  const similarity = embeddingSimilarity((texts) => embedTexts(engine, texts, { live: false }));
  return createMcpSurface({
    callers: { own: address, hosts: config.mcpHosts, origins: config.mcpOrigins },
    playing: {
      url: () => localAddress(address(), config),
      similarity: () => (models.status(EMBEDDING_MODEL).ready ? similarity : null),
      decode: (file) => decodeRecording(decoder, file, HOSTED_SECONDS),
    },
    watch: (who, onDead) => access.watchRevocation(who, onDead),
    agents: new OrphanedAgents({
      folder: join(config.data, 'agents-of-tests'),
      failed: (err, agent) =>
        log.error({ err, agent }, 'the temporary agent of an interrupted suite run could not be removed'),
      remove: ({ environment, ...place }, id) =>
        agents.remove(tenantScopeOfRow({ ...place, environment: environment as Environment }), id),
    }),
  });
}
