import type { Admission, Principal } from '../../access/contract.ts';
import type { Brain, Passage } from '../../brain/index.ts';
import type { BargeSensitivity } from '../../engine/index.ts';
import { omni } from '../../media/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { UrlGate } from '../../platform/url-gate/index.ts';
import type { Socket, SocketHandler } from '../../server/surface.ts';
import { type EndReason, type LaneEvent, Session, ToolDesk } from '../../session/index.ts';
import { AdmissionWatch } from './admission-watch.ts';
import { callEnd, Degradations } from './call-end.ts';
import type { CallMetrics } from './call-metrics.ts';
import { CallSettings } from './call-settings.ts';
import type { CallEnd, CallStore } from './call-store.ts';
import { CallWire } from './call-wire.ts';
import { CLOSE_CODES, LISTENER_CLOSES, TOO_BIG } from './close-codes.ts';
import type { Configured } from './configuration.ts';
import type { Connect } from './connect.ts';
import type { VoiceEngine } from './engine.ts';
import { ControlPace, Pace } from './pace.ts';
import type { VoiceDirectory } from './voices.ts';

export interface LiveCallDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly engine: VoiceEngine;
  readonly brain: Brain;
  readonly voices: VoiceDirectory;
  readonly gate: UrlGate;
  readonly calls: CallStore;
  readonly metrics: CallMetrics;
  readonly bargeSensitivity: BargeSensitivity;
}

export interface Caller {
  readonly principal: Principal;
  readonly admission: Admission;
  readonly connect: Connect;
}

const CONFIGURE_WITHIN_MS = 10_000;
const TOO_BIG_MESSAGE = `a frame holds at most ${omni.MAX_FRAME_BYTES} bytes`;

/** One connection to /v1/omni: waits for `configure`, runs the session, and writes the record. */
export class LiveCall implements SocketHandler {
  readonly #deps: LiveCallDeps;
  readonly #caller: Caller;
  readonly #socket: Socket;
  readonly #callId = newId('ocl');
  readonly #wire: CallWire;
  readonly #desk: ToolDesk;
  readonly #degraded = new Degradations();
  #phase: 'waiting' | 'configuring' | 'live' | 'over' = 'waiting';
  #stopWaiting: () => void;
  readonly #watch: AdmissionWatch;
  #session: Session | null = null;
  #lane: ReturnType<VoiceEngine['openLane']> | null = null;
  readonly #settings: CallSettings;
  #startedAt = 0;
  #stoppedAt: number | null = null;
  #heardAudio = false;
  readonly #pace: Pace;
  readonly #controls: ControlPace;
  #pendingEnd: EndReason | null = null;
  /** Why the listener closes by itself. What code a client closes with is the client's affair. */
  #left: EndReason | null = null;
  /** Control frames that came while `configure` was being carried out. */
  #held: omni.ClientMessage[] = [];

  constructor(deps: LiveCallDeps, caller: Caller, socket: Socket) {
    this.#deps = deps;
    this.#caller = caller;
    this.#socket = socket;
    this.#wire = new CallWire(socket, this.#callId, caller.connect.rate);
    this.#pace = new Pace(deps.clock, caller.connect.rate);
    this.#controls = new ControlPace(deps.clock);
    this.#desk = this.#createDesk();
    this.#settings = this.#createSettings();
    this.#watch = new AdmissionWatch({
      clock: deps.clock,
      check: () => caller.admission.recheck(this.#servedMs()),
      refused: (refusal) => this.#mayNotGoOn(refusal),
      // The database is away: the call goes on, and is looked at again.
      failed: (err) => deps.log.error({ err, call: this.#callId }, 'caps could not be checked'),
    });
    this.#stopWaiting = deps.clock.after(CONFIGURE_WITHIN_MS, () => void this.#configure({}));
  }

  message(data: Uint8Array, isBinary: boolean): void {
    if (this.#phase === 'over' || this.#pendingEnd !== null || this.#stoppedAt !== null) return;
    if (data[0] !== omni.AUDIO_TAG && !this.#controls.takeControl()) {
      this.#wire.complain('rate_limit_exceeded', 'too many control frames', null);
      this.#end('protocol_violation');
      return;
    }
    try {
      const frame = omni.readClientFrame(data, isBinary);
      if (frame.kind === 'audio') this.#audio(frame.pcm);
      else this.#control(omni.readClientMessage(frame.json));
    } catch (error) {
      if (error instanceof omni.MessageError)
        this.#wire.complain('invalid_request', error.message, error.param);
      else if (error instanceof omni.FrameError) this.#badFrame(error);
      else throw error;
    }
  }

  /** The client still gets its `ended`; the record waits for the lane's account of what was heard. */
  closing(code: number): void {
    if (this.#phase === 'over') return;
    if (code === TOO_BIG) this.#wire.complain('payload_too_large', TOO_BIG_MESSAGE, null);
    this.#stop();
    this.#left = LISTENER_CLOSES[code] ?? 'client_gone';
    this.#wire.ended(this.#left, this.#servedMs());
  }

  closed(): void {
    this.#end(this.#left ?? 'client_gone');
  }

  #badFrame(error: omni.FrameError): void {
    this.#wire.complain('invalid_request', error.message, null);
    if (error.fatal) this.#end('protocol_violation');
  }

  #audio(pcm: Uint8Array): void {
    if (!this.#pace.take(pcm.length)) {
      this.#wire.complain('invalid_request', 'audio comes faster than real time', null);
      this.#end('protocol_violation');
      return;
    }
    if (this.#phase !== 'live' || this.#lane === null) return;
    this.#heardAudio = true;
    if (!this.#lane.push(pcm)) {
      this.#deps.log.error({ call: this.#callId }, 'the engine is too late to take audio');
      this.#end('engine_failed');
    }
  }

  #control(message: omni.ClientMessage): void {
    if (message.type === 'end') {
      this.#end('client_ended');
    } else if (message.type === 'configure') {
      if (!this.#controls.takeConfigure())
        this.#wire.complain('rate_limit_exceeded', 'configure comes too often; nothing was changed', 'type');
      else if (this.#phase === 'waiting') void this.#configure(message);
      else if (this.#phase === 'live') void this.#reconfigure(message);
      else this.#held.push(message);
    } else if (this.#phase === 'live') {
      this.#steer(message);
    } else {
      this.#wire.complain('invalid_request', `${message.type} comes after configured`, 'type');
    }
  }

  #steer(message: Exclude<omni.ClientMessage, { type: 'configure' | 'end' }>): void {
    const session = this.#session;
    if (session === null) return;
    switch (message.type) {
      case 'tool_result':
        if ((message.result === undefined) === (message.error === undefined)) {
          this.#wire.complain(
            'invalid_request',
            'a tool_result holds result or error, one of them',
            'result',
          );
        } else if (!this.#desk.settle(message.call_id, answerOf(message))) {
          this.#wire.complain(
            'invalid_request',
            'no tool call with this call_id waits for a result',
            'call_id',
          );
        }
        return;
      case 'dtmf':
        session.dtmf(message.digits, this.#elapsed());
        return;
      case 'say':
        if (!session.say(message.text, { interrupt: message.interrupt === true }))
          this.#wire.complain(
            'rate_limit_exceeded',
            'as many words as may wait to be spoken do already',
            'text',
          );
        return;
      case 'interrupt':
        session.interrupt();
    }
  }

  #createDesk(): ToolDesk {
    return new ToolDesk({
      clock: this.#deps.clock,
      newCallId: () => newId('tool'),
      send: (invocation) => this.#wire.toolCall(invocation),
    });
  }

  #createSettings(): CallSettings {
    const { voices, gate, log } = this.#deps;
    const context = {
      orgId: this.#caller.principal.orgId,
      voices,
      gate,
      onKnowledgeFault: (fault: string) => log.warn({ call: this.#callId, fault }, 'kb_endpoint failed'),
    };
    return new CallSettings(context, this.#desk);
  }

  async #configure(message: Partial<omni.Configuration>): Promise<void> {
    if (this.#phase !== 'waiting') return;
    this.#phase = 'configuring';
    this.#stopWaiting();
    try {
      await this.#begin(await this.#settings.begin(message), message);
    } catch (error) {
      this.#fault(error);
      return;
    }
    for (const held of this.#held.splice(0)) this.#control(held);
    if (this.#pendingEnd !== null) this.#end(this.#pendingEnd);
  }

  async #begin(configured: Configured, message: Partial<omni.Configuration>): Promise<void> {
    const { engine, clock, brain, calls } = this.#deps;
    let session: Session | null = null;
    /** What the lane said before there was a session: no more than that it failed. */
    const early: LaneEvent[] = [];
    const lane = engine.openLane({
      rate: this.#caller.connect.rate,
      language: configured.language,
      voice: configured.voice.engine,
      vocabulary: message.vocabulary ?? [],
      bargeSensitivity: this.#deps.bargeSensitivity,
      ...(message.seed === undefined ? {} : { seed: message.seed }),
      onEvent: (event: LaneEvent) => (session === null ? early.push(event) : session.take(event)),
    });
    this.#lane = lane;
    const start = {
      id: this.#callId,
      principal: this.#caller.principal,
      sessionLabel: this.#caller.connect.sessionLabel,
      externalId: configured.externalId,
      language: configured.language,
      voiceId: configured.voice.id,
      voiceTier: configured.voice.tier,
      meta: message.meta ?? null,
    };
    await calls.open(start, () => this.#account('engine_failed'));
    this.#startedAt = clock.monotonic();
    brain.prepare?.(message.persona ?? '', configured.language);
    session = new Session({
      clock,
      lane,
      brain,
      desk: this.#desk,
      owner: this.#caller.principal.orgId,
      output: this.#wire.output(this.#degraded, this.#deps.metrics, (reason) => void this.#finish(reason)),
      retrieve: (query, signal) => this.#retrieve(query, signal),
      settings: {
        language: configured.language,
        persona: message.persona ?? '',
        greeting: message.greeting ?? '',
        consentLine: message.consent_line ?? '',
        ...(message.seed === undefined ? {} : { seed: message.seed }),
        ...(message.temperature === undefined ? {} : { temperature: message.temperature }),
      },
    });
    this.#session = session;
    this.#phase = 'live';
    this.#wire.acknowledge(configured);
    this.#watch.start();
    session.start();
    for (const event of early) session.take(event);
  }

  async #reconfigure(message: omni.Configuration): Promise<void> {
    try {
      const changed = await this.#settings.change(message, ({ session, voice }) => {
        if (this.#phase !== 'live') return false;
        this.#session?.reconfigure(session, voice);
        return true;
      });
      if (changed !== null) this.#wire.acknowledge(changed);
    } catch (error) {
      this.#deps.log.error({ err: error, call: this.#callId }, 'configure in mid-session failed');
      this.#wire.complain(
        'internal_error',
        'the session could not be configured; it goes on as it was',
        null,
      );
    }
  }

  async #retrieve(query: string, signal: AbortSignal): Promise<readonly Passage[]> {
    const configured = this.#settings.current;
    if (query === '' || !configured?.knowledge) return [];
    const { sessionLabel } = this.#caller.connect;
    return await configured.knowledge.ask(
      { query, sessionLabel, callId: this.#callId, language: configured.language },
      signal,
    );
  }

  #mayNotGoOn(refusal: ApiError): void {
    this.#wire.complain(refusal.code, refusal.message, refusal.param);
    this.#end(refusal.status === 403 ? 'forbidden' : 'cap_reached');
  }

  #elapsed(): number {
    const until = this.#stoppedAt ?? this.#deps.clock.monotonic();
    return this.#session === null ? 0 : until - this.#startedAt;
  }

  #servedMs = (): number => Math.round(this.#elapsed());

  /** From here on nothing more is served, whatever is still to be told. */
  #stop(): void {
    this.#stoppedAt ??= this.#deps.clock.monotonic();
  }

  #end(reason: EndReason): void {
    if (this.#phase === 'configuring') {
      this.#pendingEnd ??= reason;
    } else if (this.#session !== null) {
      this.#stop();
      this.#session.end(reason);
    } else if (this.#phase === 'waiting') {
      this.#over(reason);
    }
  }

  /** What the call has come to, if it ended now. */
  #account(reason: EndReason): CallEnd | null {
    const session = this.#session;
    const configured = this.#settings.current;
    if (session === null || configured === null) return null;
    return callEnd({
      session,
      configured,
      reason,
      durationMs: this.#servedMs(),
      heardAudio: this.#heardAudio,
      degraded: this.#degraded,
    });
  }

  /** The session has ended and the lane has told what was heard. */
  async #finish(reason: EndReason): Promise<void> {
    this.#stop();
    const end = this.#account(reason);
    this.#over(reason, end?.durationMs);
    if (end === null) return;
    try {
      await this.#deps.calls.close(this.#callId, end);
    } catch (error) {
      // The store tries again; if this node dies before it can, another writes the call as failed.
      this.#deps.log.error({ err: error, call: this.#callId }, 'the record of a call could not be written');
    }
  }

  #over(reason: EndReason, durationMs = 0): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#stopWaiting();
    this.#watch.stop();
    this.#deps.metrics.ended(reason);
    this.#wire.ended(reason, durationMs);
    this.#socket.close(CLOSE_CODES[reason], reason);
    this.#caller.admission.release();
  }

  #fault(error: unknown): void {
    const known = error instanceof ApiError ? error : null;
    if (known === null) this.#deps.log.error({ err: error, call: this.#callId }, 'a session could not begin');
    this.#wire.complain(
      known?.code ?? 'internal_error',
      known?.message ?? 'the session could not begin',
      known?.param ?? null,
    );
    this.#phase = 'over';
    this.#lane?.close();
    this.#deps.calls.abandon(this.#callId);
    this.#socket.close(known?.code === 'capacity' ? 1013 : 1011, known?.code ?? 'engine_failed');
    this.#caller.admission.release();
  }
}

const answerOf = (message: { result?: unknown; error?: string }) => ({
  ...(message.result === undefined ? {} : { result: message.result }),
  ...(message.error === undefined ? {} : { error: message.error }),
});
