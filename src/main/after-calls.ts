import type { RetentionDays } from '../access/index.ts';
import { judgedCallsOfPersons } from '../amd/index.ts';
import type { Brain } from '../brain/index.ts';
import type { Engine } from '../engine/index.ts';
import type { JobQueue, Trx } from '../jobs/index.ts';
import type { Rooms } from '../main.ts';
import type { UrlGate } from '../platform/url-gate/index.ts';
import type { Ended } from '../trace/index.ts';
import type { Webhooks } from '../webhooks/index.ts';
import { recapParts } from './recap.ts';
import { traceParts } from './trace.ts';

export interface AfterCallsNeeds {
  readonly engine: Engine;
  readonly webhooks: Webhooks;
  readonly gate: UrlGate;
  readonly queue: JobQueue;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  /** Language models alone; null: none is configured. */
  readonly model: Brain | null;
}

/** What goes on with a conversation that has ended: it is judged, and its record is made. */
export async function afterCalls(rooms: Rooms, needs: AfterCallsNeeds) {
  const { engine, webhooks, gate: urls, queue, retention, model } = needs;
  const trace = await traceParts(rooms, engine, webhooks, urls, queue, retention);
  const { packs, interactions } = trace;
  const recap = recapParts(rooms, { packs, interactions, queue, webhooks, urls, retention, model });
  return {
    surfaces: [trace.surface, recap.surface],
    holdings: [judgedCallsOfPersons(rooms.storage), trace.holding, recap.holding],
    kept: trace.kept,
    gate: trace.gate,
    guards: trace.guards,
    ended: async (trx: Trx, ended: Ended) => {
      await trace.following.ended(trx, ended);
      await recap.following.ended(trx, ended);
    },
  };
}
