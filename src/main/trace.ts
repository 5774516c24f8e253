import { createTraceSurface } from '../edge/surfaces/trace/index.ts';
import type { TenantScope } from '../foundation/access/contract.ts';
import { deploymentSecret, type RetentionDays } from '../foundation/access/index.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import { type Engine, embedTexts } from '../media/engine/index.ts';
import {
  ContactPermissions,
  Interactions,
  interactionSweep,
  JudgementInputCollector,
  judging,
  LiveGuards,
  Packs,
  PreDialCheck,
  Results,
  redactionBy,
  TraceSettingsStore,
  tracePersonalData,
  VerdictSigner,
  zonesOf,
} from '../products/trace/index.ts';
import type { CoreServices } from './main.ts';
import { openPronunciation } from './pronunciation.ts';
import { PURPOSES } from './sealing.ts';

export async function traceParts(
  { sharedClock: clock, background, storage, blobs, models, log, sealing }: CoreServices,
  engine: Engine,
  webhooks: Webhooks,
  urls: UrlGate,
  queue: JobQueue,
  retention: (orgId: string) => Promise<RetentionDays>,
) {
  const pronouncer = openPronunciation(models);
  const inputsAt = (live: boolean) =>
    new JudgementInputCollector({
      pronounce: pronouncer?.pronounce ?? null,
      embed: (texts) => embedTexts(engine, texts, { live }),
      zonesOf,
      onFault: (err) =>
        log.warn({ err }, 'pronunciations or embeddings failed; rules only match exact words'),
    });
  const inputs = inputsAt(false);
  const packs = new Packs(storage, clock);
  const settings = new TraceSettingsStore(storage, clock);
  const signer = new VerdictSigner(
    await deploymentSecret(storage, clock, 'trace', sealing.sealer(PURPOSES.deployment)),
  );
  const interactions = new Interactions({ storage, clock, inputs, packs, webhooks, signer });
  const permissions = new ContactPermissions(storage, clock);
  const gate = new PreDialCheck(storage, clock, permissions, settings);
  const results = new Results(storage, clock);
  const onError = (err: unknown) => log.error({ err }, 'a conversation could not be evaluated by Trace');
  const following = judging({ storage, blobs, queue, settings, packs, interactions, onError });
  const sweep = interactionSweep({ storage, clock, background, retention });
  const surface = createTraceSurface({
    storage,
    blobs,
    inputs,
    packs,
    settings,
    signer,
    interactions,
    permissions,
    gate,
    results,
    urls,
    start: async () => {
      following.start();
      sweep.start();
    },
    stop: async (deadlineMs) => {
      sweep.stop();
      await following.stop(deadlineMs);
      pronouncer?.close();
    },
  });
  const suppressed = async (scope: TenantScope, phoneNumber: string) =>
    (await permissions.suppression(scope, phoneNumber)) !== null;
  const guards = new LiveGuards(settings, packs, { inputs: inputsAt(true), clock });
  return {
    surface,
    gate,
    suppressed,
    guards,
    packs,
    interactions,
    following,
    redact: redactionBy(settings),
    redacts: async (scope: TenantScope, agentId: string | null) =>
      (await settings.of(scope, agentId)).redact_records,
    personalData: tracePersonalData(storage),
  };
}
