import type { Principal } from '../../foundation/access/contract.ts';
import { type TenantScope, tenantScopeOf } from '../../foundation/access/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { type BargeSensitivity, laneTenantOf, resumedCall } from '../../media/engine/index.ts';
import type { omni } from '../../media/wire/index.ts';
import type { OwnProviders } from '../../speech/providers/index.ts';
import { type ProjectPronunciation, speechCacheOwner } from '../../speech/voices/index.ts';
import type { Profile } from '../agents/index.ts';
import type { Brain, Passage } from '../brains/index.ts';
import { InputRecorder } from '../replay/index.ts';
import {
  HoldMusicFilter,
  type IdlePlan,
  type Interlude,
  type LaneEvent,
  Session,
  type SessionOptions,
  type SessionOutput,
  type SessionSettings,
  type ToolDispatcher,
} from '../session/index.ts';
import type { HeldCheckpoint } from './call-checkpoints.ts';
import type { CallSnapshot, CallStart, CallStore } from './call-store.ts';
import { type CallConfiguration, type ServedLanguage, withVoiceUnderLoad } from './configuration.ts';
import type { CallerConnection, CallGuards, CallRecorder } from './contract.ts';
import { profileSettings } from './profile-settings.ts';
import { PronouncingLane } from './pronouncing-lane.ts';
import type { SessionInputs } from './session-inputs.ts';
import type { CallLane, VoiceEngine } from './voice-engine.ts';

export interface CallSessionDeps {
  readonly clock: Clock;
  readonly engine: VoiceEngine;
  readonly brain: Brain;
  readonly calls: CallStore;
  readonly guards?: CallGuards;
  readonly bargeSensitivity: BargeSensitivity;
  readonly recordings?: CallRecorder;
  /** Never rejects: a call without its own providers is served by those of the server. */
  readonly ownProviders?: (scope: TenantScope) => Promise<OwnProviders>;
  readonly pronunciations?: (scope: TenantScope) => Promise<readonly ProjectPronunciation[]>;
  readonly speculates?: boolean;
  /** Without it, nobody can replay the calls. */
  readonly sessionInputs?: Pick<SessionInputs, 'write'> | undefined;
}

export interface CallSession {
  readonly session: Session;
  readonly lane: CallLane;
  readonly configured: CallConfiguration;
  readonly startedAt: number;
  readonly held: HeldCheckpoint | null;
  readonly record: (on: boolean) => boolean;
  readonly maxDurationMs: number | null;
  /** Delivers the events that the lane sent before the session existed, and lets the session speak. */
  readonly start: () => void;
}

export interface CallSessionOptions {
  readonly caller: CallerConnection;
  readonly configured: CallConfiguration;
  readonly message: Partial<omni.Configuration>;
  readonly profile: Profile | null;
  readonly dispatcher: ToolDispatcher;
  readonly languages: readonly ServedLanguage[];
  readonly filter: (notify: (event: LaneEvent) => void) => { take(event: LaneEvent): void };
  readonly host?: Interlude;
  readonly output: SessionOutput;
  readonly retrieve: (query: string, signal: AbortSignal) => Promise<readonly Passage[]>;
  /** Returns the agents that had the call so far. */
  readonly agents: () => readonly (string | null)[];
  /** A lost node's calls are closed with their last snapshot. */
  readonly snapshot: () => CallSnapshot | null;
}

/** Opens a lane, a record and a session; where one fails, the others are closed. */
export async function openCallSession(
  deps: CallSessionDeps,
  order: CallSessionOptions,
): Promise<CallSession> {
  const { clock, brain, calls } = deps;
  const { caller, configured: asked, message, profile } = order;
  const { resumes } = caller;
  const servedMs = resumes?.state.end.durationMs ?? 0;
  const own = profileSettings(profile, asked.knowledge !== null);
  let session: Session | null = null;
  /** Before the session exists, the lane can only report that it failed. */
  const early: LaneEvent[] = [];
  const spoken = order.filter((event) => (session === null ? early.push(event) : session.take(event)));
  const take = (event: LaneEvent) => spoken.take(laterBy(servedMs, event));
  const hold = new HoldMusicFilter(() => session?.input.isWaitingOnLine === true, take);
  const { principal, callId } = caller;
  const scope = tenantScopeOf(principal);
  const [ownProviders, pronunciations = [], recording] = await Promise.all([
    deps.ownProviders?.(scope),
    deps.pronunciations?.(scope),
    recordingOf(deps.recordings, order),
  ]);
  const lane = await deps.engine.openLane({
    rate: caller.rate,
    ...(caller.codec === undefined ? {} : { codec: caller.codec }),
    ...(caller.hearsKeys === undefined ? {} : { keys: caller.hearsKeys }),
    language: asked.language,
    ...(order.languages.length > 1 ? { languages: order.languages } : {}),
    voice: asked.voice.engine,
    ...(asked.voiceUnderLoad === null ? {} : { voiceUnderLoad: asked.voiceUnderLoad.engine }),
    ...(own.voiceProvider === null ? {} : { voiceProvider: own.voiceProvider }),
    vocabulary: message.vocabulary ?? [],
    bargeSensitivity: own.barge ?? deps.bargeSensitivity,
    ...(own.locksSpeaker ? { locksSpeaker: true } : {}),
    ...endpointingOf(own.endpointingMs, caller.endpointingMs),
    ...(recording === null
      ? {}
      : {
          recording: laneRecording(recording, callId, servedMs),
          ...(own.denoisesRecording ? { denoisesRecording: true } : {}),
        }),
    ...(own.recognizer === null ? {} : { recognizer: own.recognizer }),
    ...(ownProviders === undefined ? {} : { ownProviders }),
    plan: principal.plan,
    tenant: laneTenantOf(principal),
    ...(resumes === undefined ? {} : { reservation: resumedCall }),
    ...(caller.lane === undefined ? {} : { reservation: caller.lane }),
    ...speechCacheOwnerOf(principal),
    ...(message.seed === undefined ? {} : { seed: message.seed }),
    onEvent: (event) => hold.take(event),
  });
  const configured = lane.usesVoiceUnderLoad ? withVoiceUnderLoad(asked) : asked;
  try {
    const guarding = deps.guards?.guardFor(scope, profile?.agentId ?? null);
    const opening =
      resumes === undefined
        ? calls.open(startOf({ ...order, configured }), order.snapshot)
        : calls.adopt(resumes, order.snapshot);
    const [guard, held] = await Promise.all([guarding, opening]);
    await recording?.recorder.open(callId, principal, configured.externalId, recording.segment);
    const startedAt = clock.monotonic() - servedMs;
    const { dispatcher, retrieve } = order;
    let recordable = false;
    const record = (on: boolean) => {
      if (recording === null || !recordable) return false;
      if (on) lane.record?.();
      else lane.pauseRecording?.();
      recording.recorder.paused(callId, !on);
      return true;
    };
    const output: SessionOutput = {
      ...order.output,
      recordingAllowed: () => {
        recordable = true;
        lane.record?.();
        if (recording?.isPaused) record(false);
      },
    };
    const owner = principal.orgId;
    const { plan } = principal;
    const settings = { ...settingsOf(configured, message), ...own.session, plan };
    brain.prepare?.(message.persona ?? '', configured.language, {
      call: callId,
      owner,
      plan,
      ...(settings.brain == null ? {} : { brain: settings.brain }),
      ...(settings.grounding === undefined ? {} : { grounding: settings.grounding }),
    });
    const sessionOptions: SessionOptions = {
      clock,
      lane:
        pronunciations.length === 0 ? lane : new PronouncingLane(lane, pronunciations, configured.language),
      brain,
      toolDispatcher: dispatcher,
      guard: guard ?? undefined,
      ...(deps.guards?.similarity === undefined ? {} : { similarity: deps.guards.similarity }),
      owner,
      call: callId,
      output,
      retrieve,
      settings,
      speculates: deps.speculates ?? true,
      ...(resumes === undefined ? {} : { resumes: resumes.state.talk }),
      ...(order.host === undefined ? {} : { host: order.host }),
      ...idleOf(own.idle ?? caller.idle),
    };
    const made = recordedSession(deps, order, sessionOptions);
    session = made;
    const start = () => {
      if (resumes === undefined) made.start();
      else made.resume();
      for (const event of early) made.take(event);
    };
    const maxDurationMs = own.maxDurationMs === null ? null : Math.max(1, own.maxDurationMs - servedMs);
    return { session: made, lane, configured, held, record, startedAt, maxDurationMs, start };
  } catch (error) {
    lane.close();
    throw error;
  }
}

/** A call that was resumed is not recorded again: its trace begins where it was cut. */
function recordedSession(
  { clock, sessionInputs }: Pick<CallSessionDeps, 'clock' | 'sessionInputs'>,
  { caller, agents }: Pick<CallSessionOptions, 'caller' | 'agents'>,
  options: SessionOptions,
): Session {
  if (sessionInputs === undefined || options.resumes !== undefined) return new Session(options);
  const recorder = new InputRecorder(clock);
  const { ended } = options.output;
  const output: SessionOutput = {
    ...options.output,
    ended: (reason) => {
      void sessionInputs.write(tenantScopeOf(caller.principal), caller.callId, agents(), recorder.trace);
      ended(reason);
    },
  };
  const session = new Session(recorder.optionsOf({ ...options, output }));
  recorder.attach(session);
  return session;
}

/** A lane counts from its own first sample, a call from its beginning. */
function laterBy(ms: number, event: LaneEvent): LaneEvent {
  if (ms === 0) return event;
  return {
    ...event,
    ...('atMs' in event ? { atMs: event.atMs + ms } : {}),
    ...('startMs' in event ? { startMs: event.startMs + ms } : {}),
    ...('endMs' in event ? { endMs: event.endMs + ms } : {}),
  };
}

/**
 * A page visitor could find out from the latency of cached speech what the agent said to other callers, so visitors
 * get no cache.
 */
function speechCacheOwnerOf(principal: Principal): { readonly owner?: string } {
  const owner = principal.kind === 'browser_token' ? undefined : speechCacheOwner(tenantScopeOf(principal));
  return owner === undefined ? {} : { owner };
}

const endpointingOf = (profile: number | null, caller: number | undefined) => {
  const endpointingMs = profile ?? caller;
  return endpointingMs === undefined ? {} : { endpointingMs };
};

const idleOf = (idle: IdlePlan | undefined) => (idle === undefined ? {} : { idle });

interface SessionRecording {
  readonly recorder: CallRecorder;
  readonly segment: number;
  readonly isPaused: boolean;
}

/** The recording of a call that is resumed goes on, whichever agent has it now. */
async function recordingOf(
  recorder: CallRecorder | undefined,
  { caller: { callId, resumes }, profile }: Pick<CallSessionOptions, 'caller' | 'profile'>,
): Promise<SessionRecording | null> {
  if (recorder === undefined) return null;
  if (resumes === undefined)
    return profile?.fields.recordings_enabled ? { recorder, segment: 0, isPaused: false } : null;
  const before = await recorder.resumed(callId);
  return before === null ? null : { recorder, segment: resumes.fence, ...before };
}

const laneRecording = ({ recorder, segment }: SessionRecording, callId: string, servedMs: number) => ({
  path: recorder.path(callId, segment),
  began: (atMs: number) => recorder.began(callId, servedMs + atMs),
  failed: () => recorder.failed(callId),
  closed: () => recorder.closed(callId, segment),
});

const startOf = ({ caller, configured, message, profile }: CallSessionOptions): CallStart => ({
  id: caller.callId,
  ...(caller.partOf === undefined ? {} : { partOf: caller.partOf }),
  ...(caller.kind === undefined ? {} : { kind: caller.kind }),
  principal: caller.principal,
  sessionLabel: caller.sessionLabel,
  externalId: configured.externalId,
  language: configured.language,
  voiceId: configured.voice.id,
  voiceTier: configured.voice.tier,
  usesVoiceUnderLoad: configured.usesVoiceUnderLoad,
  meta: message.meta ?? null,
  agentId: profile?.agentId ?? null,
  agentVersion: profile?.version ?? null,
  ...(caller.resumeKey === undefined ? {} : { resumeKey: caller.resumeKey }),
});

const settingsOf = (
  configured: CallConfiguration,
  message: Partial<omni.Configuration>,
): SessionSettings => ({
  language: configured.language,
  persona: message.persona ?? '',
  greeting: message.greeting ?? '',
  consentLine: message.consent_line ?? '',
  ...(message.seed === undefined ? {} : { seed: message.seed }),
  ...(message.temperature === undefined ? {} : { temperature: message.temperature }),
});
