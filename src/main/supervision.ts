import { hasCall, ownerOfCall } from '../conversation/calls/index.ts';
import type { Surface } from '../edge/server/index.ts';
import type { OmniDeps } from '../edge/surfaces/omni/index.ts';
import {
  createSupervisionSurface,
  omniSupervision,
  type SuperviseDeps,
} from '../edge/surfaces/supervision/index.ts';
import type { TenantScope } from '../foundation/access/contract.ts';
import { isId } from '../foundation/platform/ids.ts';
import type { Engine } from '../media/engine/index.ts';
import { DenoisedAudio, Supervisors } from '../telephony/dialling/index.ts';
import type { CoreServices } from './main.ts';

/** Resolves with the address of the other node that has the call; null where no node has it, or it cannot be reached. */
export async function nodeOfCall(
  { storage, nodes }: Pick<CoreServices, 'storage' | 'nodes'>,
  scope: TenantScope,
  callId: string | null,
): Promise<string | null> {
  const owner = await ownerOfCall(storage.db, scope, callId);
  return owner === null || owner === storage.nodeId ? null : await nodes.urlOf(owner);
}

export function supervisionSurface(
  services: CoreServices,
  engine: Engine,
  { supervisable }: Pick<OmniDeps, 'supervisable'>,
  telephony: SuperviseDeps | null,
): Surface {
  const { storage, clock, sharedClock, log } = services;
  const supervised = omniSupervision(clock);
  const omni: SuperviseDeps = {
    log,
    supervisors: new Supervisors({
      storage,
      clock: sharedClock,
      actions: 'omni.call',
      denoise: (...wishes) => DenoisedAudio.open(engine, ...wishes),
    }),
    calls: {
      find: async (scope, id) => {
        if (!isId('ocl', id)) return null;
        const call = supervisable?.find(scope, id) ?? null;
        if (call !== null) return { call: supervised(call), node: async () => null };
        if (!(await hasCall(storage.db, scope, id))) return null;
        return { call: null, node: () => nodeOfCall(services, scope, id) };
      },
    },
  };
  return createSupervisionSurface({ omni, telephony });
}
