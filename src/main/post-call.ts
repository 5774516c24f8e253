import { SessionEnded } from '../conversation/calls/index.ts';
import type { Surface } from '../edge/server/index.ts';
import type { RetentionDays } from '../foundation/access/index.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import type { Engine } from '../media/engine/index.ts';
import { afterCall } from '../products/aftercall/index.ts';
import { amdPersonalData } from '../products/amd/index.ts';
import type { EndedCallJobs } from '../products/trace/index.ts';
import { TranscriptionCompleted } from '../speech/transcription/index.ts';
import type { AgentsParts } from './agents.ts';
import type { CoreServices } from './main.ts';
import type { OpenedBrain } from './open-brain.ts';
import { recapParts } from './recap.ts';
import { traceParts } from './trace.ts';

export interface PostCallNeeds {
  readonly engine: Engine;
  readonly webhooks: Webhooks;
  readonly gate: UrlGate;
  readonly queue: JobQueue;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly brain: OpenedBrain;
  readonly agents: AgentsParts;
}

export async function postCallParts(services: CoreServices, needs: PostCallNeeds) {
  const { engine, webhooks, gate: urls, queue, retention, brain, agents } = needs;
  const { storage, blobs, events, log } = services;
  const { model } = brain;
  const trace = await traceParts(services, engine, webhooks, urls, queue, retention);
  const { packs, interactions } = trace;
  const recap = recapParts(services, { packs, interactions, queue, webhooks, urls, retention, model });
  const made = afterCall({
    storage,
    blobs,
    queue,
    webhooks,
    wanted: agents.fieldsOf,
    model: (name) => brain.modelOf(name),
    onFault: (err) => log.warn({ err }, 'the language model returned no summary or extraction for a call'),
    onError: (err) => log.error({ err }, 'post-call processing of a call failed'),
  });
  const following = [trace.following, recap.following];
  events.subscribe(SessionEnded, async (trx, row) => {
    for (const jobs of [...following, made]) await jobs.ended(trx, { ...row, kind: 'call' });
  });
  events.subscribe(TranscriptionCompleted, async (trx, row) => {
    for (const jobs of following) await jobs.ended(trx, { ...row, kind: 'job' });
  });
  return {
    surfaces: [trace.surface, recap.surface, aftercallSurface(made)],
    personalData: [amdPersonalData(storage), trace.personalData, recap.personalData],
    redact: trace.redact,
    redacts: trace.redacts,
    gate: trace.gate,
    suppressed: trace.suppressed,
    guards: trace.guards,
  };
}

/** It has no routes, because the record of the call contains the results. */
const aftercallSurface = (following: EndedCallJobs): Surface => ({
  name: 'aftercall',
  start: async () => following.start(),
  stop: (deadlineMs) => following.stop(deadlineMs),
});
