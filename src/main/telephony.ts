import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownerOfCall } from '../conversation/calls/index.ts';
import type { Surface } from '../edge/server/index.ts';
import type { OmniDeps } from '../edge/surfaces/omni/index.ts';
import type { SuperviseDeps } from '../edge/surfaces/supervision/index.ts';
import { createTelephonySurface } from '../edge/surfaces/telephony/index.ts';
import type { TenantScope } from '../foundation/access/contract.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import { isId } from '../foundation/platform/ids.ts';
import { PROJECT_ROOT } from '../foundation/platform/project-root.ts';
import { StartError } from '../foundation/platform/start-error.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { PersonalDataStore } from '../foundation/privacy/contract.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import { type Engine, type LaneQueue, laneTenantOf, omniLane, synthesizeJob } from '../media/engine/index.ts';
import { AmdCallStore as AmdRecords, AmdSettingsStore } from '../products/amd/index.ts';
import { zonesOf } from '../products/trace/index.ts';
import { answerModel, holdModel } from '../speech/amd/index.ts';
import { PronunciationDictionary, pronunciationsIn, stockVoice } from '../speech/voices/index.ts';
import {
  type Carrier,
  EchoMeter,
  LoopbackCarrier,
  MANAGED_STREAM_PATH,
  PendingStreams,
  readNetwork,
  ScenarioSounds,
  TwilioCarrier,
} from '../telephony/carriers/index.ts';
import {
  ApprovedNumbers,
  CallCommands,
  CallCosts,
  CallDispatcher,
  CampaignAdmission,
  CampaignRunner,
  Campaigns,
  CampaignTargets,
  callsBack,
  DenoisedAudio,
  DialAdmission,
  DialLimiter,
  LegEnded,
  LegReclaimed,
  LegWithdrawn,
  LivePhoneCalls,
  type NumberCases,
  type OpenDenoisedAudio,
  PhoneNumberService,
  phoneSupervision,
  routeRequester,
  type SegmentRecorder,
  SipTelephones,
  type SpeakLine,
  Supervisors,
  TelephonyCallStore,
  Transfers,
  telephonyPersonalData,
  VoicemailAnswering,
  type Voicemails,
} from '../telephony/dialling/index.ts';
import type { AgentsParts } from './agents.ts';
import { localAddress } from './local-address.ts';
import type { CoreServices } from './main.ts';
import type { postCallParts } from './post-call.ts';
import { PURPOSES } from './sealing.ts';
import { sipCarrier } from './sip.ts';
import { nodeOfCall } from './supervision.ts';
import { type VoicemailNeeds, voicemailParts } from './voicemails.ts';

export interface TelephonyNeeds {
  readonly lanes: LaneQueue;
  readonly queue: JobQueue;
  readonly webhooks: Webhooks;
  readonly gate: UrlGate;
  readonly calls: OmniDeps;
  readonly recordings: SegmentRecorder;
  readonly agents: AgentsParts;
  readonly after: Awaited<ReturnType<typeof postCallParts>>;
  readonly retention: VoicemailNeeds['retention'];
  readonly jobs: VoicemailNeeds['jobs'];
  readonly baseUrl: () => string;
  readonly cases: NumberCases;
}

export interface TelephonyParts {
  readonly numbers: PhoneNumberService;
  readonly approved: ApprovedNumbers;
  readonly voicemails: Voicemails;
  readonly surfaces: readonly Surface[];
  readonly supervision: SuperviseDeps;
  readonly personalData: readonly PersonalDataStore[];
}

const NETWORK = join(PROJECT_ROOT, 'src/telephony/carriers/loopback/network.yaml');

export function telephonyParts(
  services: CoreServices,
  engine: Engine,
  needs: TelephonyNeeds,
): TelephonyParts | null {
  const { config, clock, sharedClock, storage, events, billing, access, log } = services;
  if (config.carrier === null) return null;
  const { lanes, queue, webhooks, gate, calls, agents, after, retention, jobs, recordings } = needs;
  const onError = (err: unknown) => log.error({ err }, 'a background task of telephony failed');
  const dock = new PendingStreams(clock, () => EchoMeter.open(engine));
  const telephones = sipTelephones(services);
  const carrier: Carrier =
    config.carrier === 'sip'
      ? sipCarrier(services, engine, telephones.canRegister ? telephones : null, onError)
      : config.carrier === 'twilio'
        ? twilio(services, dock, needs.baseUrl, onError)
        : loopback(services, engine, dock, needs.baseUrl, onError);
  const records = new TelephonyCallStore({
    storage,
    clock: sharedClock,
    billing,
    webhooks,
    events,
  });
  const { voicemails, messages, drops, ...mail } = voicemailParts(services, {
    records,
    webhooks,
    jobs,
    retention,
    onError,
  });
  const phones = new LivePhoneCalls(sharedClock, records);
  services.lostCalls.add(phones);
  const costs = new CallCosts(storage, billing.costs);
  const guards = new DialLimiter(
    storage,
    sharedClock,
    {
      countries: config.dialCountries,
      callsAMinute: config.dialsPerMinute,
      concurrent: config.dialsAtOnce,
      minutesADay: config.dialMinutesPerDay,
    },
    costs,
  );
  const obstacles = new DialAdmission({ clock: sharedClock, access, guards });
  const { profiles } = agents.services;
  const speak = speakLine(engine, calls, profiles);
  const denoise: OpenDenoisedAudio = (...wishes) => DenoisedAudio.open(engine, ...wishes);
  const languageOf: ConstructorParameters<typeof VoicemailAnswering>[0]['languageOf'] = async (
    scope,
    agentId,
    callId,
  ) => (await profiles.profileFor(scope, agentId, callId))?.fields.language ?? null;
  const answering = new VoicemailAnswering({ clock, log, speak, languageOf, messages });
  const approved = new ApprovedNumbers({
    storage,
    clock: sharedClock,
    carrier,
    standings: access.impliedPrincipals,
  });
  const numbers = new PhoneNumberService({
    // Numbers of SIP trunks exist already, so nothing is ordered.
    cases: config.carrier === 'sip' ? { ...needs.cases, asksBeforeOrder: () => null } : needs.cases,
    storage,
    clock: sharedClock,
    carrier,
    access,
    hasAgent: agents.has,
    checkTarget: (to, param) => guards.checkTarget(to, param),
  });
  const dispatcher: CallDispatcher = new CallDispatcher({
    storage,
    clock: sharedClock,
    log,
    access,
    queue,
    carrier,
    records,
    numbers,
    phones,
    recorder: recordings,
    guards,
    obstacles,
    campaigns: new CampaignAdmission({ storage, clock: sharedClock, zonesOf }),
    gate: (scope, to, agentId) => after.gate.ask(scope, to, agentId),
    standings: access.impliedPrincipals,
    hasAgent: agents.has,
    reserveLane: (principal) => lanes.reserve(omniLane.name, laneTenantOf(principal)),
    askRoute: routeRequester({ gate, guards, hasAgent: agents.has, log }),
    agents: {
      access,
      live: calls,
      profiles,
      clock,
      log,
      detection: {
        lanes,
        log,
        models: { answers: answerModel(), holds: holdModel() },
        calls: new AmdRecords({ storage, billing, webhooks, clock: sharedClock }),
        settings: new AmdSettingsStore(storage, sharedClock),
      },
      speak,
      handOver: (call, order) => void transfers.handOver(call, order).catch(onError),
      forward: (call, to) => transfers.forward(call, to),
      recordMessage: (...message) => drops.record(...message),
      takeMessage: (call, line, order) => answering.take(call, line, order),
    },
  });
  services.lostCalls.callsBackBy(
    callsBack({
      clock: sharedClock,
      records,
      checkpoints: calls.checkpoints,
      profiles,
      dial: (trx, leg, session) => dispatcher.callBack(trx, leg, session),
    }),
  );
  const campaigns = new Campaigns(storage, sharedClock, queue);
  const runner: CampaignRunner = new CampaignRunner({
    storage,
    clock: sharedClock,
    queue,
    dispatcher,
    obstacles,
    guards,
    numbers,
    hasAgent: agents.has,
    webhooks,
    zonesOf,
    standings: access.impliedPrincipals,
  });
  events.subscribe(LegEnded, (trx, row) => dispatcher.redial(trx, row));
  events.subscribe(LegEnded, (trx, row) => runner.ended(trx, row));
  events.subscribe(LegReclaimed, (trx, row) => runner.takenBack(trx, row));
  events.subscribe(LegWithdrawn, (trx, { row, code }) => runner.withdrawn(trx, row, code));
  const transfers = new Transfers({
    storage,
    clock,
    log,
    dispatcher,
    records,
    guards,
    profiles,
    speak,
    denoise,
    redacts: after.redacts,
    isTelephone: async (scope, to) => (await carrier.hasTelephone?.(scope, to)) ?? false,
  });
  const supervisors = new Supervisors({ storage, clock: sharedClock, actions: 'telephony.call', denoise });
  const supervised = phoneSupervision({
    giveBack: (call, line) => transfers.giveBack(call, line),
    listen: (call, line) => transfers.listen(call, line),
    onError,
  });
  const ownerOf = (scope: TenantScope, callId: string | null) => ownerOfCall(storage.db, scope, callId);
  const commands = new CallCommands({
    storage,
    clock,
    ownerOf,
    phones,
    transfers,
    supervisors: { whisper: (call, text, by) => supervisors.whisper(supervised(call), text, by) },
    onError,
  });
  return {
    numbers,
    approved,
    voicemails,
    surfaces: [
      mail.surface,
      createTelephonySurface({
        storage,
        clock,
        log,
        gate,
        access,
        carrier,
        dock,
        numbers,
        telephones,
        voicemails,
        drops,
        dispatcher,
        records,
        costs,
        phones,
        commands,
        campaigns,
        targets: new CampaignTargets(storage),
        runner,
        agents: { access, live: calls, profiles },
        onError,
      }),
    ],
    supervision: {
      log,
      supervisors,
      calls: {
        find: async (scope, id) => {
          const row = isId('tcl', id) ? await records.find(scope, id) : null;
          if (row === null) return null;
          const call = phones.find(id);
          return {
            call: call === null ? null : supervised(call),
            node: () => nodeOfCall(services, scope, row.call_id),
          };
        },
      },
    },
    personalData: [telephonyPersonalData(storage, services.blobs), voicemails.personalData],
  };
}

function twilio(
  { config, clock, background }: CoreServices,
  dock: PendingStreams,
  baseUrl: () => string,
  onError: (error: unknown) => void,
): TwilioCarrier {
  const { twilioAccountSid: accountSid, twilioAuthToken: authToken, twilioApiUrl: apiUrl } = config;
  if (accountSid === null || authToken === null) {
    const missing = accountSid === null ? 'TRUNKLINE_TWILIO_ACCOUNT_SID' : 'TRUNKLINE_TWILIO_AUTH_TOKEN';
    throw new StartError('the carrier', missing, new Error(`${missing} is not set`));
  }
  const account = { accountSid, authToken, apiUrl };
  const nodeUrl = () => config.nodePublicUrl?.replace(/\/$/, '') ?? baseUrl();
  return new TwilioCarrier({ clock, background, dock, account, baseUrl, nodeUrl, onError });
}

function loopback(
  { config, clock, voices }: CoreServices,
  engine: Engine,
  dock: PendingStreams,
  baseUrl: () => string,
  onError: (error: unknown) => void,
): LoopbackCarrier {
  const path = config.loopbackNetwork ?? NETWORK;
  const sounds = new ScenarioSounds(join(config.data, 'loopback-sounds'), (text, name) => {
    const voice = stockVoice(name === undefined ? voices.default : voices.resolve(name)).engine;
    return engine.submit(synthesizeJob, { voice, rate: 8000, format: 'ulaw' }, Buffer.from(text)).result();
  });
  return new LoopbackCarrier({
    clock,
    dock,
    sounds,
    network: readNetwork(readFileSync(path, 'utf8'), path),
    // The network runs on this machine and connects to the port, whatever public address a proxy has.
    streamUrl: () => `${localAddress(baseUrl(), config).replace(/^http/, 'ws')}${MANAGED_STREAM_PATH}`,
    onError,
  });
}

const speakLine =
  (
    engine: Engine,
    { voices, pronunciations }: OmniDeps,
    profiles: AgentsParts['services']['profiles'],
  ): SpeakLine =>
  async ({ scope, id }, agentId, text) => {
    const fields = (await profiles.profileFor(scope, agentId, id))?.fields;
    const named = fields?.voice_id == null ? null : await voices.find(scope, fields.voice_id);
    const { engine: voice, language } = named ?? (await voices.defaultFor(scope, fields?.language ?? 'en'));
    const known = pronunciationsIn(language, (await pronunciations?.(scope)) ?? []);
    const said = new PronunciationDictionary(known).apply(text);
    return await engine
      .submit(synthesizeJob, { voice, rate: 8000, format: 'ulaw' }, Buffer.from(said))
      .result();
  };

function sipTelephones({ config, storage, clock, sealing }: CoreServices): SipTelephones {
  const { carrier, sipRegistrar, sipRealm: realm } = config;
  const isOn = carrier === 'sip' && sipRegistrar;
  const sealer = sealing.sealer(PURPOSES.telephones);
  return new SipTelephones({ storage, clock, sealer, realm: isOn ? realm : null });
}
