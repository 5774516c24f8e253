import { tenantScopeOf } from '../../foundation/access/index.ts';
import { ApiError, type ErrorCode } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { Log } from '../../foundation/platform/log.ts';
import { storageRefusal } from '../../foundation/platform/storage-fault.ts';
import type { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import type { omni } from '../../media/wire/index.ts';
import type { CallVoices } from '../../speech/voices/index.ts';
import type { Profile, SignBody } from '../agents/index.ts';
import type { FlowState } from '../flows/index.ts';
import {
  type EndReason,
  type PendingAnswer,
  phraseOf,
  type Session,
  ToolDispatcher,
  type TranscriptEntry,
} from '../session/index.ts';
import { AdmissionMonitor } from './admission-monitor.ts';
import { AgentHandoff, type HandoffRequest, type HandoffResult } from './agent-handoff.ts';
import { BrainUses } from './brain-uses.ts';
import { type AgentServices, CallAgent } from './call-agent.ts';
import type { CallCheckpoint } from './call-checkpoint.ts';
import {
  type CallCheckpoints,
  type ClaimedCheckpoint,
  type HeldCheckpoint,
  RESUME_WITHIN_MS,
} from './call-checkpoints.ts';
import { CallControls } from './call-controls.ts';
import { buildCallEnd, Degradations } from './call-end.ts';
import { CallLanguage } from './call-language.ts';
import type { CallMetrics } from './call-metrics.ts';
import { callOutput } from './call-output.ts';
import { type CallSession, type CallSessionDeps, openCallSession } from './call-session.ts';
import { CallSettings } from './call-settings.ts';
import type { CallEnd } from './call-store.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';
import { filterConfigurable } from './configurable-fields.ts';
import { confirmToolCall } from './confirmation-interlude.ts';
import type { CallerConnection, CallMonitor, CallResume, CallTransport, MonitoredCall } from './contract.ts';
import { flowOfCall } from './flow-of-call.ts';
import type { FlowTalk } from './flow-talk.ts';
import { profileSettings } from './profile-settings.ts';
import { lookupTools } from './record-source.ts';
import { SILENCE } from './silence.ts';
import { CallAudioPath, type SupervisableCall, type SupervisableCalls } from './supervisable-calls.ts';

export interface LiveCallDeps extends CallSessionDeps {
  readonly log: Log;
  readonly voices: CallVoices;
  readonly gate: UrlGate;
  readonly sign: SignBody;
  readonly metrics: CallMetrics;
  readonly agents?: AgentServices;
  readonly monitor?: CallMonitor;
  readonly checkpoints?: CallCheckpoints;
  readonly supervisable?: SupervisableCalls;
}

type ServedSession = CallSession & { readonly steering: CallControls; heardAudio: boolean };

type State =
  /** With `refused`, an invalid `configure` came; without a valid one, the call does not begin. */
  | { readonly kind: 'waiting'; readonly stopWaiting: () => void; refused: boolean }
  /** `held` has the changes that came meanwhile, and `end` the reason to end as soon as the call has begun. */
  | { readonly kind: 'configuring'; readonly held: omni.Configuration[]; end: EndReason | null }
  | { readonly kind: 'live'; readonly talk: ServedSession }
  | { readonly kind: 'ending'; readonly talk: ServedSession; readonly stoppedAt: number }
  | { readonly kind: 'over' };

const CONFIGURE_WITHIN_MS = 10_000;
const OF_THE_AGENT = ['persona', 'voice_under_load', 'voice_instruct', 'vocabulary', 'consent_line'] as const;
/** A client that ended for these reasons can resume the call. */
const RESUMABLE: ReadonlySet<EndReason> = new Set(['client_gone', 'draining']);

export class LiveCall {
  readonly #deps: LiveCallDeps;
  readonly #caller: CallerConnection;
  readonly #transport: CallTransport;
  readonly #dispatcher: ToolDispatcher;
  readonly #agent: CallAgent;
  readonly #settings: CallSettings;
  readonly #watch: AdmissionMonitor;
  readonly #degraded = new Degradations();
  readonly #handoff: AgentHandoff;
  readonly #brainUses: BrainUses;
  #meta: Readonly<Record<string, unknown>> = {};
  readonly #language: CallLanguage;
  readonly #flows = new Map<string, FlowTalk>();
  readonly #flowsBefore: ReadonlyMap<string, FlowState>;
  #asked: Partial<omni.Configuration> = {};
  #conversation: Session['conversation'] | null = null;
  #isResumable = false;
  #checkpoints: CheckpointWriter | null = null;
  #suspended: { readonly pending: PendingAnswer | null } | null = null;
  #isTaken = false;
  readonly #path: CallAudioPath;
  readonly #onOver = new Set<() => void>();
  readonly #written: Promise<void>;
  #notifyWritten: () => void = () => undefined;
  #state: State;

  constructor(deps: LiveCallDeps, caller: CallerConnection, transport: CallTransport) {
    this.#brainUses = new BrainUses(deps.clock);
    const brain = this.#brainUses.counting(deps.brain);
    this.#deps = { ...deps, brain };
    this.#caller = caller;
    this.#transport = transport;
    this.#path = new CallAudioPath(transport, (audio) => this.#push(audio));
    const { clock, log, voices, gate, sign } = deps;
    const call = caller.callId;
    const language = () => this.#language.current;
    const session = () => (this.#state.kind === 'live' ? this.#state.talk.session : null);
    this.#dispatcher = new ToolDispatcher({
      clock,
      newCallId: () => newId('tool'),
      send: (invocation) => transport.toolCall(invocation),
      confirm: (tool, args) =>
        confirmToolCall(this.#dispatcher, { tool, args, language: language(), filler: tool.filler }),
      latestTurn: () => this.#conversation?.transcript.at(-1)?.turnId ?? 0,
      onLate: (name, content) => this.controls?.injectLateToolResult(name, content),
      onSettled: () => this.#checkpoints?.touch(),
    });
    const onKnowledgeFault = (fault: string) => log.warn({ call, fault }, 'kb_endpoint failed');
    const scope = tenantScopeOf(caller.principal);
    const { agents: services } = deps;
    const record = (on: boolean) => this.#state.kind === 'live' && this.#state.talk.record(on);
    this.#agent = new CallAgent({
      services: services,
      clock,
      log,
      scope,
      caller,
      transport,
      language,
      record,
      handOff: (request) => this.#handOff(request),
      switchLanguage: (to, by) => this.#language.switchTo(to, by),
      onCaptured: () => this.#checkpoints?.touch(),
      lookupTools: lookupTools(this.#dispatcher),
    });
    this.#flowsBefore = new Map(caller.resumes?.state.flows);
    this.#written = new Promise((resolve) => {
      this.#notifyWritten = resolve;
    });
    const context = {
      scope,
      plan: caller.principal.plan,
      voices,
      gate,
      sign: (body: string) => sign(scope, body),
      onKnowledgeFault,
    };
    this.#settings = new CallSettings(context, this.#dispatcher, () => this.#agent.tools);
    this.#handoff = new AgentHandoff({
      agent: this.#agent,
      settings: this.#settings,
      brain,
      session,
      atMs: () => this.servedMs,
      language: () => this.#language,
      guardFor: async (agentId) => (await deps.guards?.guardFor(scope, agentId)) ?? null,
      flowOf: (profile) => {
        if (this.#state.kind === 'live')
          this.#state.talk.lane.setLanguages?.(this.#agent.identifiedLanguages());
        return this.#flowOf(profile);
      },
    });
    this.#language = new CallLanguage({
      agent: this.#agent,
      settings: this.#settings,
      transport: {
        languageChanged: (change) => {
          this.#checkpoints?.touch();
          transport.languageChanged?.(change);
        },
      },
      session,
      atMs: () => this.servedMs,
    });
    this.#watch = new AdmissionMonitor({
      clock,
      check: (leadMs) => caller.admission.recheck(this.servedMs + leadMs),
      refused: (refusal) => this.#mayNotGoOn(refusal),
      // The database is unavailable: the call goes on, and the monitor checks again.
      failed: (err) =>
        log.error({ err, call }, 'the daily cap and the budget could not be read; the session continues'),
    });
    const stopWaiting = clock.after(CONFIGURE_WITHIN_MS, () => {
      if (this.#state.kind === 'waiting' && this.#state.refused) this.end('protocol_violation');
      else this.configure({ type: 'configure' });
    });
    this.#state = { kind: 'waiting', stopWaiting, refused: false };
  }

  /** After an invalid `configure`, the timeout does not start an agent with the account's defaults. */
  configureRefused(): void {
    if (this.#state.kind === 'waiting') this.#state.refused = true;
  }

  get phase(): State['kind'] {
    const state = this.#state;
    return state.kind === 'configuring' && state.end !== null ? 'ending' : state.kind;
  }

  get controls(): CallControls | null {
    return this.#state.kind === 'live' ? this.#state.talk.steering : null;
  }

  /** The version of the agent that began the call. */
  get agentVersion(): number | null {
    return this.#handoff.shares[0]?.version ?? null;
  }

  /** Everything that was said, also after the call has ended. */
  get transcript(): readonly TranscriptEntry[] {
    return this.#conversation?.transcript ?? [];
  }

  get servedMs(): number {
    const state = this.#state;
    if (state.kind === 'live') return Math.round(this.#deps.clock.monotonic() - state.talk.startedAt);
    return state.kind === 'ending' ? Math.round(state.stoppedAt - state.talk.startedAt) : 0;
  }

  configure(asked: omni.Configuration): void {
    const state = this.#state;
    if (state.kind === 'ending' || state.kind === 'over') return;
    const { configurable } = this.#caller.principal.browser ?? { configurable: null };
    const { message, refused } = filterConfigurable(asked, configurable);
    for (const name of refused)
      this.#transport.sendError('forbidden', `the browser token does not allow ${name} to be set`, name);
    if (state.kind === 'waiting') {
      state.stopWaiting();
      void this.#begin(message);
    } else if (state.kind === 'configuring') {
      state.held.push(message);
    } else if (state.kind === 'live') {
      void this.#reconfigure(message);
    }
  }

  discard(): void {
    if (this.#state.kind !== 'waiting') return;
    this.#state.stopWaiting();
    this.#state = { kind: 'over' };
    this.#agent.close();
  }

  refuse(code: ErrorCode, status: number | null): void {
    if (this.#state.kind !== 'waiting') return;
    this.discard();
    this.#transport.failed(code, status);
    this.#caller.admission.release();
    this.#caller.onNotBegun?.();
  }

  resume(): void {
    const { resumes } = this.#caller;
    if (this.#state.kind !== 'waiting' || resumes === undefined) return;
    this.#state.stopWaiting();
    void this.#begin({ ...resumes.state.asked, type: 'configure' });
  }

  audio(pcm: Uint8Array): void {
    if (this.#state.kind !== 'live') return;
    this.#state.talk.heardAudio = true;
    this.#path.fromCaller(pcm);
  }

  #push(pcm: Uint8Array): void {
    if (this.#state.kind !== 'live' || this.#state.talk.lane.push(pcm)) return;
    this.#deps.log.error(
      { call: this.#caller.callId },
      'the engine does not keep up with the audio of a session',
    );
    this.end('engine_failed');
  }

  stop(reason: EndReason): void {
    const state = this.#state;
    if (state.kind === 'configuring') state.end ??= reason;
    if (state.kind !== 'live') return;
    this.#state = { kind: 'ending', talk: state.talk, stoppedAt: this.#deps.clock.monotonic() };
  }

  end(reason: EndReason): void {
    this.stop(reason);
    const state = this.#state;
    if (state.kind === 'ending') state.talk.session.end(reason);
    else if (state.kind === 'waiting') {
      this.#over(reason);
      if (this.#caller.resumes !== undefined) this.#giveBack(this.#caller.resumes);
      this.#caller.onNotBegun?.();
    }
  }

  /** The connection broke: the client can resume the call in time where that is possible; otherwise the call ends. */
  suspend(reason: EndReason): void {
    const state = this.#state;
    if (this.#isResumable && (state.kind === 'live' || state.kind === 'ending'))
      this.#suspended ??= { pending: state.talk.session.checkpoint.pending };
    this.end(reason);
  }

  async #begin(message: omni.Configuration): Promise<void> {
    const configuring: Extract<State, { kind: 'configuring' }> = { kind: 'configuring', held: [], end: null };
    const { metrics, monitor: watchers } = this.#deps;
    const before = this.#caller.resumes?.state ?? null;
    let watched: MonitoredCall | null = null;
    this.#state = configuring;
    try {
      const whole = await this.#agent.load(message, labelOf(before, this.#caller));
      this.#asked = { ...message };
      const asked = await this.#settings.begin(whole);
      const remembered = before === null ? await this.#agent.recallMemories() : null;
      const { profile } = this.#agent;
      this.#meta = whole.meta ?? {};
      if (before !== null) this.#restore(before);
      else if (profile !== null) this.#handoff.begun(profile);
      const led = () => (profile === null ? null : this.#flowOf(profile, whole.persona));
      const host = this.#caller.listens === true ? SILENCE : led();
      const talk = await openCallSession(this.#deps, {
        caller: this.#caller,
        configured: asked,
        message: whole,
        profile: this.#agent.profile,
        dispatcher: this.#dispatcher,
        languages: this.#agent.identifiedLanguages(),
        filter: (notify) => this.#language.filter(notify),
        ...(host === null ? {} : { host }),
        output: callOutput(
          this.#transport,
          this.#path,
          this.#degraded,
          metrics,
          () => watched,
          () => this.#checkpoints?.touch(),
          (reason) => void this.#finish(reason),
        ),
        retrieve: (query, signal) => {
          const own = this.#settings.retrieve(query, this.#caller, signal);
          return this.#agent.knowledge.retrieve(query, own, signal);
        },
        agents: () => [profile?.agentId ?? null, ...this.#handoff.shares.map(({ agentId }) => agentId)],
        snapshot: () => this.#account('engine_failed'),
      });
      const { session, configured } = talk;
      this.#conversation = session.conversation;
      this.#settings.onBegun(configured);
      if (configured.usesVoiceUnderLoad) metrics.voiceUnderLoadUsed();
      if (remembered !== null) session.input.injectContext(remembered);
      const joined = () => {
        if (this.#state.kind === 'live') this.#state.talk.heardAudio = true;
        return talk.lane.ref ?? null;
      };
      const steering = new CallControls(
        session,
        this.#dispatcher,
        this.#agent,
        () => this.servedMs,
        talk.lane,
        joined,
      );
      const heardAudio = before?.heardAudio ?? false;
      this.#state = { kind: 'live', talk: { ...talk, steering, heardAudio } };
      const resume = this.#keepResumable(talk.held, before);
      const { callId, principal, sessionLabel } = this.#caller;
      const agentId = this.#agent.profile?.agentId ?? null;
      const { language } = configured;
      watched = watchers?.begin({ callId, principal, agentId, sessionLabel, language }) ?? null;
      this.#transport.acknowledge(configured, resume);
      if (this.#caller.partOf === undefined) this.#deps.supervisable?.add(this.#supervisable());
      this.#watch.start(talk.maxDurationMs, () => session.input.endWithFarewell('max_duration'));
      talk.start();
    } catch (error) {
      this.#fault(error);
      return;
    }
    for (const change of configuring.held) void this.#reconfigure(change);
    if (configuring.end !== null) this.end(configuring.end);
  }

  #supervisable(): SupervisableCall {
    const { callId: id, principal, rate, codec = 'pcm16' } = this.#caller;
    const path = this.#path;
    return {
      id,
      scope: tenantScopeOf(principal),
      rate,
      codec,
      bridge: (by) => {
        if (this.#state.kind !== 'over') path.bridge(by);
      },
      toCaller: (audio) => path.toCaller(audio),
      toAgent: (audio) => path.toAgent(audio),
      injectContext: (text) => {
        this.controls?.injectContext(text);
        return this.controls !== null;
      },
      mute: (on) => this.controls?.mute(on),
      respond: (instructions) => void this.controls?.respond(instructions),
      hangUp: () => this.end('agent_ended'),
      whenOver: (then) => void this.#onOver.add(then),
    };
  }

  async #handOff(request: HandoffRequest): Promise<HandoffResult | null> {
    const taken = await this.#handoff.handOff(request);
    if (taken !== null) for (const field of OF_THE_AGENT) delete this.#asked[field];
    return taken;
  }

  #restore(before: CallCheckpoint): void {
    const degraded = this.#degraded;
    const { captureLog, knowledge } = this.#agent;
    const beganAt = this.#deps.clock.monotonic() - before.end.durationMs;
    this.#dispatcher.callLog.restore(before.tools.map((call) => ({ ...call, at: call.at + beganAt })));
    this.#handoff.shares.push(...before.shares);
    degraded.list.push(...before.degraded);
    degraded.leftOut.push(...(before.leftOut ?? []));
    degraded.withheld.push(...(before.end.withheld ?? []));
    for (const [turnId, cost] of before.tokens) degraded.addTokenUsage(turnId, cost);
    captureLog.list.push(...before.slots);
    knowledge.restore(before.grounding, before.isFromBasesOnly);
    this.#language.changes.push(...before.languageChanges);
  }

  #keepResumable(held: HeldCheckpoint | null, before: CallCheckpoint | null): CallResume | undefined {
    const { checkpoints, clock, log } = this.#deps;
    if (checkpoints === undefined || held === null) return undefined;
    const { callId, resumable } = this.#caller;
    this.#checkpoints = new CheckpointWriter({
      clock,
      write: async () => {
        const state = this.#checkpoint();
        if (state === null || (await checkpoints.write(held, state))) return;
        log.warn({ call: callId }, 'another node has taken over the call; it ends on this node');
        this.#isTaken = true;
        this.end('client_gone');
      },
      onError: (err) => log.error({ err, call: callId }, 'the state of a call could not be written'),
    });
    this.#checkpoints.touch();
    if (resumable !== true) return undefined;
    this.#isResumable = true;
    checkpoints.hold(callId, () => {
      this.suspend('client_gone');
      return this.#written;
    });
    const last = before?.talk.entries.at(-1);
    const resumed = before === null ? null : { turn: last?.turnId ?? 0, playedMs: playedMsOf(last) };
    return { token: held.token, ttlMs: RESUME_WITHIN_MS, resumed };
  }

  #checkpoint(): CallCheckpoint | null {
    const state = this.#state;
    const whole = this.#account('client_gone');
    if ((state.kind !== 'live' && state.kind !== 'ending') || whole === null) return null;
    const { transcript: _transcript, ...end } = whole;
    const { session, heardAudio, startedAt } = state.talk;
    const { admission, sessionLabel } = this.#caller;
    const { knowledge, captureLog, profile } = this.#agent;
    const { list, leftOut, tokenUsage } = this.#degraded;
    const talk = session.checkpoint;
    const current = this.#settings.current;
    return {
      end,
      talk: this.#suspended === null ? talk : { ...talk, pending: this.#suspended.pending },
      asked: {
        ...this.#asked,
        ...(current === null ? {} : { language: current.language, voice_id: current.voice.id }),
        greeting: '',
        ...(talk.isConsentPending ? {} : { consent_line: '' }),
      },
      sessionLabel,
      agentId: profile?.agentId ?? null,
      agentVersion: profile?.version ?? null,
      heardAudio,
      tools: this.#dispatcher.callLog.list.map((call) => ({ ...call, at: call.at - startedAt })),
      slots: captureLog.list,
      languageChanges: this.#language.changes,
      shares: this.#handoff.shares,
      flows: this.#flowStates(),
      degraded: list,
      leftOut,
      tokens: [...tokenUsage],
      grounding: (end.turns.grounding ?? []) as CallCheckpoint['grounding'],
      isFromBasesOnly: knowledge.isFromBasesOnly,
      providerUse: [
        ...(this.#caller.resumes?.state.providerUse ?? []),
        ...(state.talk.lane.providerUse ?? []),
        ...this.#brainUses.all,
      ],
      reservationId: admission.reservationId,
    };
  }

  #flowStates(): (readonly [string, FlowState])[] {
    const states = new Map(this.#flowsBefore);
    for (const [agentId, { state }] of this.#flows) if (state !== null) states.set(agentId, state);
    return [...states];
  }

  #flowOf(profile: Profile, persona = profile.fields.persona): FlowTalk | null {
    const { agentId, fields } = profile;
    if (fields.flow === null) return null;
    const before = this.#flows.get(agentId);
    if (before !== undefined) return before;
    const language = () => this.#language.current;
    const session = () => (this.#state.kind === 'live' ? this.#state.talk.session : null);
    const { session: own } = profileSettings(profile, false);
    const wasIn = this.#flowsBefore.get(agentId);
    const cut = this.#state.kind === 'configuring' ? this.#caller.resumes?.state : undefined;
    const flow = flowOfCall({
      ...(wasIn === undefined ? {} : { state: wasIn }),
      ...(wasIn === undefined || cut === undefined
        ? {}
        : {
            resumes: {
              words: phraseOf({ ...own, language: language() }, 'resumed'),
              pending: cut.talk.pending,
            },
          }),
      flow: fields.flow,
      clock: this.#deps.clock,
      brain: this.#deps.brain,
      brainName: fields.brain,
      plan: this.#caller.principal.plan,
      dispatcher: this.#dispatcher,
      agent: this.#agent,
      language,
      meta: this.#meta,
      transcript: () => session()?.conversation.transcript ?? [],
      atMs: () => this.servedMs,
      persona: () => persona,
      farewell: () => phraseOf({ ...own, language: language() }, 'farewell'),
      onNode: (node, from) => {
        this.#checkpoints?.touch();
        this.#transport.flowNode?.(node, from);
      },
      onSpeed: (speed) => this.#language.setSpeed(speed),
      wake: () => {
        // A timer calls this, so nothing else would catch an error, and the process would end with every call.
        try {
          session()?.input.wake();
        } catch (err) {
          this.#deps.log.error({ call: this.#caller.callId, err }, 'a step of a flow failed');
          this.end('engine_failed');
        }
      },
    });
    this.#flows.set(agentId, flow);
    return flow;
  }

  async #reconfigure(message: omni.Configuration): Promise<void> {
    try {
      const changed = await this.#settings.change(message, ({ session, voice }) => {
        if (this.#state.kind !== 'live') return false;
        const paced = voice === null ? null : this.#language.paced(voice);
        this.#state.talk.session.reconfigure(session, paced);
        return true;
      });
      this.#asked = { ...this.#asked, ...message };
      this.#checkpoints?.touch();
      if (changed !== null) this.#transport.acknowledge(changed);
    } catch (error) {
      this.#deps.log.error(
        { err: error, call: this.#caller.callId },
        'a configure message in mid-session failed',
      );
      const message = 'the session could not be configured; it continues unchanged';
      this.#transport.sendError('internal_error', message, null);
    }
  }

  #mayNotGoOn(refusal: ApiError): void {
    this.#transport.sendError(refusal.code, refusal.message, refusal.param);
    this.end(refusal.status === 403 ? 'forbidden' : 'cap_reached');
  }

  #account(reason: EndReason): CallEnd | null {
    const state = this.#state;
    const configured = this.#settings.current;
    if ((state.kind !== 'live' && state.kind !== 'ending') || configured === null) return null;
    const { session, heardAudio } = state.talk;
    const durationMs = this.servedMs;
    const degraded = this.#degraded;
    const { knowledge, captureLog: slots } = this.#agent;
    const { startedAt, lane } = state.talk;
    const { usesVoiceUnderLoad: gaveWay } = lane;
    const reported = {
      degraded,
      knowledge,
      slots: slots.list,
      flows: this.#flowStates(),
      agents: this.#handoff.shares,
      languageChanges: this.#language.changes,
      tools: this.#dispatcher.callLog.list,
      startedAt,
      usesVoiceUnderLoad: gaveWay,
      providerUse: [
        ...(this.#caller.resumes?.state.providerUse ?? []),
        ...(lane.providerUse ?? []),
        ...this.#brainUses.all,
      ],
    };
    return buildCallEnd({ session, configured, reason, durationMs, heardAudio, ...reported });
  }

  async #finish(reason: EndReason): Promise<void> {
    this.stop(reason);
    this.#checkpoints?.stop();
    if (this.#isTaken || (this.#suspended !== null && RESUMABLE.has(reason))) {
      await this.#leave(reason);
      return;
    }
    const end = this.#account(reason);
    const { callId, admission } = this.#caller;
    const written = end === null ? null : this.#deps.calls.close(callId, end, admission.reservationId);
    if (written !== null) admission.settling(written);
    void this.#agent.knowledge.noteGaps(end, this.#settings.current, callId);
    this.#over(reason, end?.durationMs);
    try {
      // The store repeats the write; if this node fails first, another node writes the call as failed.
      await written;
      await this.#deps.recordings?.finish(callId);
    } catch (error) {
      this.#deps.log.error({ err: error, call: callId }, 'the end of a call could not be recorded');
    }
    this.#notifyWritten();
  }

  async #leave(reason: EndReason): Promise<void> {
    const { calls, log } = this.#deps;
    const { callId, admission } = this.#caller;
    const state = this.#isTaken ? null : this.#checkpoint();
    const { servedMs } = this;
    // The reservation stays until the call is billed, or its lease expires.
    if (state !== null) admission.handOver();
    this.#over(reason, servedMs);
    try {
      if (state === null) calls.forget(callId);
      else await calls.suspend(callId, state);
    } catch (err) {
      log.error({ err, call: callId }, 'the state of an interrupted call could not be written');
    }
    this.#notifyWritten();
  }

  #over(reason: EndReason, durationMs = 0): void {
    if (this.#state.kind === 'over') return;
    if (this.#state.kind === 'waiting') this.#state.stopWaiting();
    this.#state = { kind: 'over' };
    for (const then of this.#onOver) then();
    this.#watch.stop();
    this.#agent.close();
    this.#deps.metrics.ended(reason);
    this.#transport.ended(reason, durationMs);
    this.#caller.admission.release();
  }

  /** A session that was claimed, but did not go on here, can be claimed again, or ends in time. */
  #giveBack(claimed: ClaimedCheckpoint): void {
    const { log, calls } = this.#deps;
    const failed = 'a call that could not be resumed could not be released for another attempt';
    void calls.giveBack(claimed).catch((err) => log.error({ err, call: this.#caller.callId }, failed));
  }

  #fault(error: unknown): void {
    const { log, calls } = this.#deps;
    const { callId, admission } = this.#caller;
    const known = error instanceof ApiError ? error : storageRefusal(error);
    if (error !== known) log.error({ err: error, call: callId }, 'a session could not be opened');
    this.#transport.sendError(
      known?.code ?? 'internal_error',
      known?.message ?? 'the session could not start',
      known?.param ?? null,
      known?.node,
    );
    this.#state = { kind: 'over' };
    for (const then of this.#onOver) then();
    this.#agent.close();
    if (this.#caller.resumes === undefined) calls.abandon(callId);
    else this.#giveBack(this.#caller.resumes);
    this.#transport.failed(known?.code ?? null, known?.status ?? null);
    admission.release();
    this.#caller.onNotBegun?.();
  }
}

function labelOf(
  before: CallCheckpoint | null,
  { sessionLabel, agentVersion }: CallerConnection,
): string | null {
  if (before !== null && before.agentId !== null) return `${before.agentId}@${before.agentVersion}`;
  return labelOfVersion(sessionLabel, agentVersion);
}

/** Names the version, unless the label names one already. */
export const labelOfVersion = (label: string | null, version: number | undefined): string | null =>
  label === null || version === undefined || label.includes('@') ? label : `${label}@${version}`;

const playedMsOf = (entry: TranscriptEntry | undefined): number =>
  entry?.role === 'agent' ? Math.max(0, Math.round(entry.endMs - entry.startMs)) : 0;
