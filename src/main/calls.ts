import { SuiteRecorded } from '../conversation/agents/index.ts';
import type { Brain } from '../conversation/brains/index.ts';
import {
  type AgentServices,
  CallCheckpoints,
  type CallMonitor,
  CallStore,
  createCallMetrics,
  createVoiceEngine,
  markTestCalls,
  publishCallEnded,
  SessionEnded,
  SessionInputs,
  SupervisableCalls,
  TranscriptLinks,
  TranscriptOffload,
  transcriptSweep,
} from '../conversation/calls/index.ts';
import type { OmniDeps } from '../edge/surfaces/omni/index.ts';
import { deploymentSecret, type RetentionDays } from '../foundation/access/index.ts';
import type { Metrics } from '../foundation/platform/metrics.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import { type LaneQueue, readBargeSensitivity } from '../media/engine/index.ts';
import { type Recordings, recordingSweep } from '../media/recordings/index.ts';
import type { Recognizers } from '../speech/added-models/index.ts';
import type { ProviderKeys } from '../speech/provider-keys/index.ts';
import type { RecognitionProviders, SpeechProviders } from '../speech/providers/index.ts';
import type { CallVoices } from '../speech/voices/index.ts';
import { brainEntries } from './brain-settings.ts';
import type { CoreServices } from './main.ts';
import type { postCallParts } from './post-call.ts';
import { PURPOSES } from './sealing.ts';

export interface CallPartsNeeds {
  readonly gate: UrlGate;
  readonly webhooks: Pick<Webhooks, 'publish' | 'signed'>;
  readonly brain: Brain;
  readonly voices: CallVoices;
  readonly agents: AgentServices;
  readonly webrtc: NonNullable<OmniDeps['webrtc']>;
  readonly after: Awaited<ReturnType<typeof postCallParts>>;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly metrics: Metrics;
  readonly recordings: Recordings;
  readonly watch: CallMonitor;
  readonly elsewhere: { readonly voices: SpeechProviders; readonly recognition: RecognitionProviders };
  readonly recognizers: Recognizers;
  readonly providerKeys: ProviderKeys;
  readonly pronunciations: NonNullable<OmniDeps['pronunciations']>;
  readonly baseUrl: () => string;
  readonly onError: (error: unknown) => void;
}

export async function callParts(
  {
    access,
    billing,
    config,
    clock,
    sharedClock,
    background,
    storage,
    events,
    lostCalls,
    blobs,
    log,
    sealing,
  }: CoreServices,
  lanes: LaneQueue,
  {
    gate,
    webhooks,
    brain,
    voices,
    agents,
    webrtc,
    after,
    retention,
    recordings,
    metrics,
    watch,
    elsewhere,
    recognizers,
    providerKeys,
    pronunciations,
    baseUrl,
    onError,
  }: CallPartsNeeds,
): Promise<OmniDeps> {
  const sealer = sealing.sealer(PURPOSES.deployment);
  const secret = await deploymentSecret(storage, sharedClock, 'transcripts', sealer);
  const keeping = { storage, blobs, clock: sharedClock, background, retention };
  const checkpoints = new CallCheckpoints({
    storage,
    clock: sharedClock,
    sealer: sealing.sealer(PURPOSES.checkpoints),
    onError,
  });
  const store = new CallStore({
    checkpoints,
    storage,
    blobs,
    billing,
    clock: sharedClock,
    background,
    events,
    redact: after.redact,
    onError,
  });
  events.subscribe(SessionEnded, (trx, row) => publishCallEnded(webhooks, trx, row, sharedClock.now()));
  events.subscribe(SuiteRecorded, (trx, { scope, callIds }) => markTestCalls(trx, scope, callIds));
  lostCalls.add(store);
  return {
    access,
    clock,
    log,
    gate,
    sign: (scope, body) => webhooks.signed(scope, body),
    engine: createVoiceEngine(lanes, {
      providers: elsewhere.voices,
      recognition: elsewhere.recognition,
      chooseRecognizer: recognizers.choose,
      keepsCallerAudio: brainEntries(config).some(({ kind }) => kind === 'realtime'),
      modelsSpeak: brainEntries(config).some(({ voice }) => voice !== undefined),
      clock,
    }),
    metrics: createCallMetrics(metrics),
    brain,
    voices,
    agents,
    monitor: watch,
    supervisable: new SupervisableCalls(),
    guards: after.guards,
    webrtc,
    recordings,
    ownProviders: (scope) => providerKeys.open(scope),
    pronunciations,
    recordingSweep: recordingSweep({ storage, clock: sharedClock, background, retention }, recordings),
    speculates: config.speculation,
    ...(config.sessionInputs
      ? { sessionInputs: new SessionInputs({ storage, blobs, redacts: after.redacts, onError }) }
      : {}),
    calls: store,
    checkpoints,
    blobs,
    transcripts: transcriptSweep(keeping),
    transcriptLinks: new TranscriptLinks({ clock: sharedClock, secret, baseUrl }),
    transcriptOffload: new TranscriptOffload({
      ...keeping,
      inlineBytes: config.transcriptInlineKb * 1024,
    }),
    bargeSensitivity: readBargeSensitivity(config.bargeSensitivity),
  };
}
