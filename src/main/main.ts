import { tmpdir } from 'node:os';
import { CallAnalytics, CallReader, callPersonalData, LostCalls } from '../conversation/calls/index.ts';
import {
  createServer,
  type HealthSource,
  type Server,
  type Surface,
  throttleHealthSource,
} from '../edge/server/index.ts';
import { createAccountSurface } from '../edge/surfaces/account/index.ts';
import { createCallsSurface } from '../edge/surfaces/calls/index.ts';
import { createCatalogueSurface } from '../edge/surfaces/catalogue/index.ts';
import { createCompatSurfaces } from '../edge/surfaces/compat/index.ts';
import { createHearSurface, createTranscriptionJobsSurface } from '../edge/surfaces/hear/index.ts';
import { createQueueSurface } from '../edge/surfaces/jobs/index.ts';
import { createKnowledgeSurface } from '../edge/surfaces/knowledge/index.ts';
import { createModelsSurface } from '../edge/surfaces/models/index.ts';
import { createOmniSurface } from '../edge/surfaces/omni/index.ts';
import { createOperatorSurface } from '../edge/surfaces/operator/index.ts';
import { createPrivacySurface } from '../edge/surfaces/privacy/index.ts';
import { createProvidersSurface } from '../edge/surfaces/providers/index.ts';
import { createSpeakSurface } from '../edge/surfaces/speak/index.ts';
import { type AccessService, createAccess, type SealingKey } from '../foundation/access/index.ts';
import { BillingService } from '../foundation/billing/index.ts';
import { DomainEvents } from '../foundation/events/index.ts';
import { JobQueue } from '../foundation/jobs/index.ts';
import { MailQueue } from '../foundation/mail/index.ts';
import { NodeRegistry } from '../foundation/nodes/index.ts';
import type { BackgroundTasks } from '../foundation/platform/background-tasks.ts';
import { type Clock, systemClock } from '../foundation/platform/clock.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import type { Log } from '../foundation/platform/log.ts';
import { createMetrics, type Metrics } from '../foundation/platform/metrics.ts';
import { Models } from '../foundation/platform/models/index.ts';
import { openOrFailStart } from '../foundation/platform/start-error.ts';
import { startTracing } from '../foundation/platform/tracing.ts';
import { UrlGate } from '../foundation/platform/url-gate/index.ts';
import { Erasures, LegalHolds } from '../foundation/privacy/index.ts';
import {
  type FileOwner,
  makePrivate,
  openBlobs,
  openSharedClock,
  openStorage,
  QuotaBlobs,
  type SharedClock,
  type Storage,
} from '../foundation/storage/index.ts';
import { findFfmpeg } from '../media/codec/index.ts';
import { type Engine, LaneQueue } from '../media/engine/index.ts';
import { recordingPersonalData } from '../media/recordings/index.ts';
import { AddedModels, Recognizers, SpeakerEncoders } from '../speech/added-models/index.ts';
import type { RecognitionProviders, SpeechProviders } from '../speech/providers/index.ts';
import { type TranscriptionService, transcriptionPersonalData } from '../speech/transcription/index.ts';
import { addedVoices, PRODUCTS, StockVoices, speechCacheErasure } from '../speech/voices/index.ts';
import { agentsParts } from './agents.ts';
import { amdSurface } from './amd.ts';
import { openAnonymousExpiry } from './anonymous-expiry.ts';
import { backgroundGauge, backgroundParts, openBackgroundTasks, openIdempotencyStore } from './background.ts';
import { blobsOptions } from './blobs.ts';
import { callParts } from './calls.ts';
import { castAndDubParts } from './cast-and-dub.ts';
import { clockParts, skewNumbers } from './clock-skew.ts';
import { type Approved, complianceParts } from './compliance.ts';
import { createDecoder } from './decoder.ts';
import { DoctorReports } from './doctor-report.ts';
import {
  callLoad,
  callNumbers,
  deviceGauge,
  engineNumbers,
  engineParts,
  loadParts,
  openEngine,
} from './engine.ts';
import { eventDeliveryParts } from './event-delivery.ts';
import { startHaproxyAgentCheck } from './haproxy-agent-check.ts';
import { hostingSurface } from './hosting.ts';
import { integrationParts } from './integrations.ts';
import { createKnowledge } from './knowledge.ts';
import { openMailer } from './mail.ts';
import { modelParts, soundParts } from './models.ts';
import { msgappParts } from './msgapp.ts';
import { oidcSettings } from './oidc.ts';
import { brainParts, type OpenedBrain, openBrain } from './open-brain.ts';
import { operatorModels } from './operator-models.ts';
import { optionalSurfaces } from './optional-surfaces.ts';
import { pageSurfaces } from './page-surfaces.ts';
import { postCallParts } from './post-call.ts';
import { openProviderKeys, providerKeyParts } from './provider-keys.ts';
import { queueDepths } from './queue-depths.ts';
import { openRecognitionProviders, recognitionProviderParts } from './recognition-providers.ts';
import { openRecordings } from './recordings.ts';
import { openSealing, PURPOSES } from './sealing.ts';
import { supervisionSurface } from './supervision.ts';
import { telephonyParts } from './telephony.ts';
import { openTranscription } from './transcription.ts';
import { openVoiceProviders, voiceProviderParts } from './voice-providers.ts';
import { voiceParts } from './voices.ts';
import { WarmUp } from './warm-up.ts';
import { openWebRtc } from './webrtc.ts';

export { brainEntries } from './brain-settings.ts';
export { openLocalModel } from './local-brains.ts';
export { modelParts } from './models.ts';
export { brainParts, configuredBrains, listedBrains } from './open-brain.ts';

/** Commands that change keys or credits need only these, without an engine or a port. */
export interface CoreServices {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  /** All nodes agree on this clock. */
  readonly sharedClock: SharedClock;
  readonly background: BackgroundTasks;
  readonly storage: Storage;
  readonly nodes: NodeRegistry;
  readonly events: DomainEvents;
  readonly lostCalls: LostCalls;
  readonly sealing: SealingKey;
  readonly queue: JobQueue;
  readonly mailQueue: MailQueue;
  readonly blobs: QuotaBlobs;
  readonly billing: BillingService;
  readonly access: AccessService;
  readonly models: Models;
  readonly added: AddedModels;
  readonly voices: StockVoices;
  readonly parts: ReadonlyMap<string, HealthSource>;
  close(): Promise<void>;
}

export interface Application {
  readonly server: Server;
  stop(drainSeconds?: number): Promise<void>;
}

const AUDIO_AND_MODELS = 'models';
/**
 * The interval limits billed requests to the object store, because readiness can be queried without authentication.
 */
const BLOBS_PROBE_INTERVAL_MS = 10_000;

export async function openCoreServices(config: Config, log: Log): Promise<CoreServices> {
  const clock = systemClock;
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  const onError = (err: unknown) => log.error({ err }, 'a background task failed');
  const background = openBackgroundTasks(clock, log);
  try {
    const databaseUrl = config.databaseUrl ?? undefined;
    const inData = databaseUrl ? 'the data folder' : 'the database';
    await openOrFailStart(inData, 'TRUNKLINE_DATA', async () => makePrivate(config.data));
    const place = databaseUrl ? 'TRUNKLINE_DATABASE_URL' : 'TRUNKLINE_DATA';
    const storage = await openOrFailStart('the database', place, () =>
      openStorage({
        dataDir: config.data,
        databaseUrl,
        poolSize: config.databasePool,
        clock,
        onError,
      }),
    );
    closing.push(() => storage.close());
    const sealing = await openSealing(config, storage, clock);
    const sharedClock = await openSharedClock(storage, clock, background);
    closing.push(() => background.stop());
    const nodes = new NodeRegistry({
      storage,
      clock: sharedClock,
      url: config.nodeUrl,
      publicUrl: config.nodePublicUrl,
      background,
    });
    closing.push(() => nodes.stop().catch(onError));
    const events = new DomainEvents();
    const lostCalls = new LostCalls(storage, sharedClock);
    nodes.add(lostCalls);
    const blobStore = config.s3Bucket === null ? 'TRUNKLINE_DATA' : 'TRUNKLINE_S3_BUCKET';
    const bytes = await openOrFailStart('the store of files', blobStore, () =>
      openBlobs(blobsOptions(config)),
    );
    closing.push(() => bytes.close());
    const billing = new BillingService({ storage, clock: sharedClock, background, onError });
    closing.push(() => billing.stop());
    const { redisUrl, operatorToken, keySecret, baseUrl } = config;
    const queue = new JobQueue(storage, sharedClock, { quiet: config.quiet });
    const mailer = openMailer(config);
    closing.push(() => mailer?.close());
    const post = new MailQueue({ queue, mailer, onError });
    const publicUrl = () => baseUrl ?? `http://${config.host}:${config.port}`;
    const entitledForAll = config.carrier === 'loopback' ? (['telephony', 'messages'] as const) : [];
    const settings = { redisUrl, operatorToken, keySecret, baseUrl, publicUrl, oidc: oidcSettings(config) };
    const rest = { entitledForAll, mail: post, background, onError };
    const sealer = sealing.sealer(PURPOSES.deployment);
    const access = await createAccess({ ...settings, ...rest, storage, billing, clock: sharedClock, sealer });
    closing.push(() => access.close());
    const quota = (owner: FileOwner) => access.plans.storageOf(owner);
    const blobs = new QuotaBlobs({ blobs: bytes, storage, clock: sharedClock, quota });
    const models = new Models({ root: config.models });
    const added = new AddedModels(config.data);
    const voices = new StockVoices(undefined, addedVoices(added));
    const parts = new Map<string, HealthSource>([
      ['database', async () => [await storage.part()]],
      ['blobs', throttleHealthSource(clock, BLOBS_PROBE_INTERVAL_MS, async () => [await blobs.part()])],
      ['limits', () => access.parts()],
      [AUDIO_AND_MODELS, () => modelParts(models)],
      ['brain', () => brainParts(config)],
      ['voices elsewhere', () => voiceProviderParts(config)],
      ["customers' keys", () => providerKeyParts(config)],
      ['recognizers elsewhere', () => recognitionProviderParts(config)],
      ['sound', async () => soundParts()],
      ['background tasks', async () => backgroundParts(background)],
    ]);
    const shared = { config, log, clock, sharedClock, background, storage, nodes };
    const work = { events, lostCalls, sealing, queue };
    return {
      ...shared,
      ...work,
      mailQueue: post,
      blobs,
      billing,
      access,
      models,
      added,
      voices,
      parts,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Takes an engine that is already opening its models, or opens one; it ends with the application. */
export async function createApplication(config: Config, log: Log, opened?: Engine): Promise<Application> {
  const services = await openCoreServices(config, log).catch((error: unknown) => {
    opened?.destroy();
    throw error;
  });
  const engine = opened ?? openEngine(config, services.models, log);
  services.voices.servesOn(() => engine.stats().device);
  try {
    const metrics = createMetrics();
    const brain = openBrain(config, log, engine, () => services.added.brainRules);
    const elsewhere = openVoiceProviders(config, services.clock, log);
    const recognition = openRecognitionProviders(config, services.clock, log);
    metrics.addSource('engine', engineNumbers(engine));
    metrics.addGauge(deviceGauge(engine));
    metrics.addGauge(backgroundGauge(services.background));
    metrics.addSource('clock', () => skewNumbers(services.sharedClock.skewMs()));
    metrics.addSource('access', () => services.access.metrics());
    metrics.addGauge(queueDepths(services.queue));
    const tracing = config.otlpUrl === null ? undefined : await startTracing(config.otlpUrl);
    let isDraining = () => false;
    const load = callLoad(engine, () => isDraining());
    services.nodes.publish(load);
    metrics.addSource('calls', callNumbers(load, services.nodes));
    let address = () => config.baseUrl ?? `http://${config.host}:${config.port}`;
    const warmUp = new WarmUp({ engine, voices: services.voices, clock: services.clock });
    void warmUp.run();
    const server = await createServer({
      config,
      log,
      access: services.access,
      metrics,
      tracing,
      clock: services.clock,
      idempotencyStore: openIdempotencyStore(services),
      parts: new Map([
        ...services.parts,
        ['clock', () => clockParts(services.sharedClock.skewMs())],
        ['calls', () => loadParts(load, services.nodes)],
        ['engine', () => [...engineParts(engine, config), ...warmUp.parts(), ...brain.faults.parts()]],
      ]),
      surfaces: await createSurfaces(
        services,
        engine,
        brain,
        { voices: elsewhere.providers, recognition: recognition.providers },
        metrics,
        () => address(),
      ),
    });
    address = server.baseUrl;
    isDraining = server.isDraining.bind(server);
    services.access.origins.allowOwnPages(address);
    services.billing.start();
    await services.nodes.start();
    const agentCheck = await startHaproxyAgentCheck(config, server, engine, log);
    return {
      server,
      stop: async (drainSeconds) => {
        await server.drain(drainSeconds);
        agentCheck?.stop();
        engine.destroy();
        await brain.close();
        await elsewhere.close();
        await recognition.close();
        await tracing
          ?.stop()
          .catch((err: unknown) => log.warn({ err }, 'the last spans were not exported at shutdown'));
        await services.close();
      },
    };
  } catch (error) {
    engine.destroy();
    await services.close();
    throw error;
  }
}

function openRecognizers({ added, log }: CoreServices, engine: Engine): Recognizers {
  const recognizers = new Recognizers(engine, added, (err, recognizer) =>
    log.error(
      { err, recognizer },
      'an added recognizer could not be opened; the built-in recognizer is used',
    ),
  );
  void engine.prepared().then(() => recognizers.prepare());
  return recognizers;
}

/** A caller waits this long for a lane, because calls end often enough that one usually becomes free. */
const LANE_WAIT_MS = 2_000;

async function createSurfaces(
  services: CoreServices,
  engine: Engine,
  brain: OpenedBrain,
  elsewhere: { readonly voices: SpeechProviders; readonly recognition: RecognitionProviders },
  metrics: Metrics,
  baseUrl: () => string,
): Promise<Surface[]> {
  const { access, billing, config, clock, storage, log, models, queue, voices } = services;
  const gate = new UrlGate({ allowLoopback: config.allowLoopbackUrls, clock });
  const lanes = new LaneQueue({
    engine,
    clock,
    waitMs: LANE_WAIT_MS,
    betterNode: () => services.nodes.betterNode(),
  });
  const recognizers = openRecognizers(services, engine);
  const encoders = new SpeakerEncoders(services.added, (err, encoder) =>
    log.error({ err, encoder }, 'an added speaker encoder could not be used; the built-in one is used'),
  );
  metrics.addSource('lane_line', () => ({ waiting: lanes.waiting }));
  const decoder = createDecoder(services);
  const onError = (err: unknown) => log.error({ err }, 'a background task failed');
  const retention = (orgId: string) => access.retention.of(orgId);
  const eventDelivery = await eventDeliveryParts(services, queue, gate, onError);
  const { webhooks, destinations, watch } = eventDelivery;
  const { catalogue, voicesOfCalls, provenance } = await voiceParts(services, engine, decoder);
  const knowledge = createKnowledge(services, engine, queue, gate, webhooks, retention, onError);
  const texts = () => integrations.texts;
  const providerKeys = openProviderKeys(services, gate, () => recognizers.names);
  const named = () => [...recognizers.names, ...elsewhere.recognition.names];
  const agents = await agentsParts(
    services,
    voicesOfCalls,
    webhooks,
    gate,
    knowledge,
    texts,
    named,
    providerKeys,
  );
  const { model } = brain;
  const castAndDub = castAndDubParts(services, {
    engine,
    encoders,
    queue,
    webhooks,
    gate,
    decoder,
    catalogue,
    retention,
    model,
  });
  const after = await postCallParts(services, { engine, webhooks, gate, queue, retention, brain, agents });
  const webrtc = openWebRtc(config, engine, log, metrics);
  const recordings = openRecordings(services, { metrics, after, onError });
  const calls = await callParts(services, lanes, {
    gate,
    webhooks,
    brain,
    voices: voicesOfCalls,
    agents: agents.services,
    webrtc,
    after,
    retention,
    recordings,
    metrics,
    watch,
    elsewhere,
    recognizers,
    providerKeys,
    pronunciations: (scope) => catalogue.store.pronunciations(scope),
    baseUrl,
    onError,
  });
  const shared = { gate, webhooks, queue, retention, after, recordings, onError };
  const jobs = () => transcription.jobs;
  const takeNumber: Approved = async (of) => phones?.approved.take(of);
  const { cases, ...compliance } = await complianceParts(services, queue, webhooks, retention, takeNumber);
  const phones = telephonyParts(services, engine, { ...shared, lanes, calls, agents, jobs, baseUrl, cases });
  const { numbers = null } = phones ?? {};
  const hearing = { ...shared, decoder, recognizers, encoders };
  const transcription: TranscriptionService = openTranscription(services, engine, hearing);
  const writing = { brain, agents: agents.services, guards: after.guards };
  const needs = {
    destinations,
    webhooks,
    queue,
    gate,
    jobs: transcription.jobs,
    retention,
    numbers,
    baseUrl,
    writing,
  };
  const integrations: ReturnType<typeof integrationParts> = integrationParts(services, needs);
  const msgapp = await msgappParts(services, webhooks, after.suppressed);
  const personalData = [
    callPersonalData(storage, services.blobs),
    recordingPersonalData(storage, recordings),
    transcriptionPersonalData(storage, services.blobs, transcription.jobs),
    knowledge.gaps.personalData,
    agents.memories,
    msgapp.personalData,
    ...castAndDub.personalData,
    ...after.personalData,
    ...integrations.personalData,
    ...(phones?.personalData ?? []),
    compliance.personalData,
  ];
  const holds = new LegalHolds(storage, clock, personalData);
  const trails = [webhooks.forget.bind(webhooks), speechCacheErasure(storage)];
  const erasures = new Erasures({
    storage,
    blobs: services.blobs,
    clock,
    holds,
    stores: personalData,
    cleanups: trails,
  });
  const speak = createSpeakSurface({
    engine,
    storage,
    billing,
    voices: catalogue,
    clock,
    decoder,
    ffmpeg: findFfmpeg(config.ffmpeg, models)?.path ?? null,
    temporary: tmpdir(),
    onError,
  });
  const hear = createHearSurface({
    access,
    billing,
    clock,
    storage,
    log,
    engine,
    lanes,
    decoder,
    temporary: tmpdir(),
    chooseRecognizer: recognizers.choose,
    encoders,
  });
  const omni = createOmniSurface(calls);
  const recognize = hear.transcriber.recognize.bind(hear.transcriber);
  const expiry = openAnonymousExpiry(services, trails, numbers);
  const reader = new CallReader(storage, billing.costs);
  return [
    createCallsSurface(reader, new CallAnalytics(storage, reader), clock),
    createPrivacySurface({ erasures, holds, expiry }),
    createAccountSurface({ access, billing, clock, storage, files: services.blobs, expiry, baseUrl, webrtc }),
    createCatalogueSurface({ models, voices, products: PRODUCTS, customVoices: catalogue }),
    speak,
    provenance,
    msgapp.surface(calls, webrtc),
    ...castAndDub.surfaces,
    omni,
    supervisionSurface(services, engine, calls, phones?.supervision ?? null),
    ...pageSurfaces(),
    agents.surface,
    hear,
    ...createCompatSurfaces({
      ...speak,
      ...hear,
      access,
      gateway: omni.gateway,
      peers: omni.peers,
      profiles: agents.services.profiles,
      recognize,
      mintToken: access.browserTokens.mint.bind(access.browserTokens),
      voices,
      ownVoices: catalogue.store,
      dubs: castAndDub.dubs,
      jobs: transcription.jobs,
      queue,
      blobs: services.blobs,
      onError,
      engine,
      decoder,
      gate,
      clock,
    }),
    amdSurface(services, lanes, webhooks, gate, retention),
    createKnowledgeSurface({ knowledge: knowledge, blobs: services.blobs, gate }),
    ...after.surfaces,
    ...eventDelivery.surfaces,
    ...integrations.surfaces,
    hostingSurface(services),
    compliance.surface,
    createTranscriptionJobsSurface({ transcription, blobs: services.blobs, gate, decoder }),
    ...(phones?.surfaces ?? []),
    createQueueSurface(queue),
    createOperatorSurface({
      doctor: new DoctorReports({ config, clock, environment: process.env }),
      nodes: services.nodes,
      lostCalls: services.lostCalls,
      queue,
      webhooks,
      clock,
    }),
    createProvidersSurface(providerKeys),
    createModelsSurface(operatorModels(services, engine, process.env)),
    ...optionalSurfaces({ config, log, engine, models, access, agents, decoder }, baseUrl),
  ];
}
