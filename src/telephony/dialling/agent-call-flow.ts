import type { LaneReservation } from '../../conversation/calls/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Log } from '../../foundation/platform/log.ts';
import type { AnswerVerdict, InCallDeps } from '../../speech/amd/index.ts';
import type { AgentMediaHandler, AgentOutcome, HandOverOrder } from './agent-media-handler.ts';
import { type AgentCall, type CallAgentDeps, callAgentOrder } from './call-agent.ts';
import type { CallMedia } from './call-media.ts';
import type { AmdOrder, CallEnding, CallRequest } from './contract.ts';
import { DetectionMediaHandler } from './detection-media-handler.ts';
import type { NumberSettings } from './number-settings.ts';
import type { CallFlow, PhoneCall } from './phone-call.ts';
import { PlaybackMediaHandler } from './playback-media-handler.ts';
import type { VoicemailAnsweringOrder } from './voicemail-answering.ts';

/** Speaks a text with the agent's voice, as u-law at 8 kHz. */
export type SpeakLine = (call: PhoneCall, agentId: string | null, text: string) => Promise<Uint8Array>;

export interface AgentCallFlowDeps extends CallAgentDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly detection: InCallDeps;
  readonly speak: SpeakLine;
  readonly handOver: (call: PhoneCall, order: HandOverOrder) => void;
  readonly forward: (call: PhoneCall, to: string) => Promise<void>;
  readonly recordMessage: (call: PhoneCall, media: CallMedia, message: Uint8Array) => void;
  readonly takeMessage: (call: PhoneCall, media: CallMedia, order: VoicemailAnsweringOrder) => Promise<void>;
}

export interface AgentCallFlowOrder {
  readonly agentId: string | null;
  readonly direction: 'inbound' | 'outbound';
  readonly number: string;
  readonly request: CallRequest;
  readonly settings: NumberSettings;
  /** The lane is reserved before the other side is dialed. */
  readonly lane?: LaneReservation;
  /** No agent takes the call: it follows the fallback of the number's settings. */
  readonly direct?: boolean;
}

export interface JoinOptions {
  /** The callback replaces the default handling of the agent's end. */
  readonly done?: (outcome: AgentOutcome) => void;
  /** The agent transcribes the conversation and does not speak. */
  readonly listens?: boolean;
}

const ENDS: ReadonlySet<AnswerVerdict['answeredBy']> = new Set(['voicemail', 'fax', 'dead_number']);
const MACHINE: CallEnding = { reason: 'machine', detail: null };
const AFTER_MESSAGE_MS = 400;
const MOST_HEARD_CHARACTERS = 6_000;
const LISTENED =
  'A colleague has just talked with the caller, and you listened. Sum it up where the caller asks for it. They said:';
/** Leaves the message at this time where no end of the greeting was detected. */
const MESSAGE_AT_LAST_MS = 60_000;

export class AgentCallFlow implements CallFlow {
  readonly #deps: AgentCallFlowDeps;
  readonly #order: AgentCallFlowOrder;
  #stop: () => void = () => undefined;
  /** The session of an agent who only listened; the one that follows knows what it heard. */
  #listener: AgentMediaHandler | null = null;
  #sessions = 0;
  #last: AgentMediaHandler | null = null;
  #version: number | null = null;

  constructor(deps: AgentCallFlowDeps, order: AgentCallFlowOrder) {
    this.#deps = deps;
    this.#order = order;
  }

  answered(call: PhoneCall, media: CallMedia): void {
    const { amd } = this.#order.request;
    if (this.#order.direct === true) void this.fallBack(call, media);
    else if (amd === undefined || amd === null) void this.takeAgent(call, media);
    else this.#detect(call, media, amd);
  }

  ended(): void {
    this.#order.lane?.release();
    this.#stop();
  }

  resume(call: PhoneCall, media: CallMedia, greeting: string): Promise<void> {
    return this.takeAgent(call, media, greeting);
  }

  async takeAgent(
    call: PhoneCall,
    media: CallMedia,
    greeting?: string,
    { done, listens = false }: JoinOptions = {},
  ): Promise<void> {
    const { agentId, direction, number, request, settings, lane } = this.#order;
    const session = ++this.#sessions;
    const { handler } = media;
    const isTaken = () => call.media === null || media.handler !== handler;
    this.#version ??= this.#last?.agentVersion ?? null;
    const suspended = session === 1 ? request.resumes : undefined;
    const sessionId = call.nextSessionId();
    const agent: AgentCall = {
      principal: call.principal,
      agentId,
      ...(this.#version === null ? {} : { agentVersion: this.#version }),
      part: { callId: call.callId, sessionId },
      ...(suspended === undefined ? {} : { suspended }),
      telephonyCallId: call.id,
      direction,
      number,
      variables: request.variables ?? {},
      consentLine: settings.consent_line,
      ...(greeting === undefined ? {} : { greeting }),
      ...(listens ? { listens } : this.#heard()),
      ...(lane === undefined ? {} : { lane }),
      sendKeys: (digits) => void call.leg?.then((leg) => leg.sendKeys(digits)),
      done: done ?? ((outcome) => this.#agentDone(call, media, outcome)),
    };
    try {
      const part = await callAgentOrder(this.#agentDeps(call), agent);
      // A session that was asked for later has the line, or a transfer that began meanwhile.
      if (isTaken() || session !== this.#sessions) return part.leave();
      this.#listener = listens ? part : null;
      this.#last = part;
      media.setHandler(part);
      void call.scribe.note({ omni_call_id: part.callId });
    } catch (error) {
      this.#deps.log.warn({ err: error, call: call.id }, 'no agent could be connected to a call');
      if (suspended !== undefined) call.end({ reason: 'failed', detail: 'call_not_live' });
      else if (done !== undefined)
        done({ kind: 'failed', code: error instanceof ApiError ? error.code : 'internal_error' });
      else if (!isTaken()) await this.fallBack(call, media);
    }
  }

  #heard(): Pick<AgentCall, 'context'> {
    const listener = this.#listener;
    if (listener === null) return {};
    return {
      context: () => {
        const { heard } = listener;
        return heard === '' ? null : `${LISTENED}\n${heard.slice(-MOST_HEARD_CHARACTERS)}`;
      },
    };
  }

  /** The recordings are those of the call, which may go on without the agent. */
  #agentDeps({ tape }: PhoneCall): CallAgentDeps {
    const { live } = this.#deps;
    return tape === null ? this.#deps : { ...this.#deps, live: { ...live, recordings: tape } };
  }

  async fallBack(call: PhoneCall, media: CallMedia): Promise<void> {
    const { kind, to, text } = this.#order.settings.fallback;
    const why =
      this.#order.direct === true ? 'the call could not be forwarded' : 'no agent could take the call';
    const failed: CallEnding = { reason: 'failed', detail: why };
    if (kind === 'transfer' && to !== undefined) {
      await this.#deps.forward(call, to).catch((error: unknown) => {
        const refused = error instanceof ApiError && error.code !== 'transfer_refused';
        call.end(refused ? { reason: 'failed', detail: error.code } : failed);
      });
    } else if (kind === 'message' && text !== undefined) {
      const ending: CallEnding = { reason: 'completed', detail: 'a message was said' };
      await this.#say(call, media, text, this.#order.direct === true ? ending : failed);
    } else if (kind === 'voicemail' && this.#order.direction === 'inbound') {
      const { agentId, settings } = this.#order;
      await this.#deps.takeMessage(call, media, { agentId, settings: settings.voicemail });
    } else call.end(failed);
  }

  #agentDone(call: PhoneCall, media: CallMedia, outcome: AgentOutcome): void {
    if (outcome.kind === 'hand_over') this.#deps.handOver(call, outcome);
    else if (outcome.kind === 'failed') void this.fallBack(call, media);
    else if (outcome.reason === 'engine_failed' || outcome.reason === 'brain_unavailable')
      void this.fallBack(call, media);
    else call.end({ reason: 'completed', detail: outcome.reason });
  }

  #detect(call: PhoneCall, media: CallMedia, amd: AmdOrder): void {
    const message = this.#order.request.message ?? null;
    // Synthesizes the message while the greeting is still playing, so that it is ready at the beep.
    const spoken = message === null ? null : this.#deps.speak(call, this.#order.agentId, message);
    spoken?.catch(() => undefined);
    const leave = () => {
      this.#stop();
      if (spoken === null) call.end(MACHINE);
      else void this.#leaveMessage(call, media, spoken);
    };
    const { mode, aggressiveness } = amd;
    const follows = mode === 'follow';
    const part: DetectionMediaHandler = new DetectionMediaHandler(this.#deps.detection, {
      principal: call.principal,
      called: this.#order.number,
      callId: call.id,
      partOf: call.callId,
      mode: follows ? 'follow' : 'message_end',
      aggressiveness: aggressiveness === undefined ? undefined : Number(aggressiveness),
      answered: (verdict) => {
        if (follows && !ENDS.has(verdict.answeredBy)) call.whenOver(part.goOn(media));
        this.#decided(call, media, verdict, leave);
      },
      changed: (to) => {
        if (to !== 'hold') void call.scribe.note({ answered_by: to });
      },
      messageEnd: leave,
      failed: (err) => {
        this.#deps.log.warn({ err, call: call.id }, 'AMD gave no verdict on who answered a call');
        void this.takeAgent(call, media);
      },
    });
    media.setHandler(part);
  }

  #decided(call: PhoneCall, media: CallMedia, { answeredBy }: AnswerVerdict, leave: () => void): void {
    void call.scribe.note({ answered_by: answeredBy });
    switch (answeredBy) {
      case 'voicemail':
        if (this.#order.request.message === undefined || this.#order.request.message === null)
          call.end(MACHINE);
        else this.#stop = this.#deps.clock.after(MESSAGE_AT_LAST_MS, leave);
        return;
      case 'fax':
        call.end(MACHINE);
        return;
      case 'dead_number':
        call.end({ reason: 'failed', detail: 'the number is not in service' });
        return;
      default:
        void this.takeAgent(call, media);
    }
  }

  async #leaveMessage(call: PhoneCall, media: CallMedia, spoken: Promise<Uint8Array>): Promise<void> {
    const { recordMessage, profiles } = this.#deps;
    try {
      const message = await spoken;
      const profile = await profiles.profileFor(call.scope, this.#order.agentId, call.id);
      if (call.isOver) return;
      if (profile?.fields.recordings_enabled === true) recordMessage(call, media, message);
      this.#play(call, media, message, { reason: 'machine', detail: 'a message was left' });
    } catch (error) {
      this.#deps.log.error({ err: error, call: call.id }, 'a message could not be spoken');
      call.end({ reason: 'machine', detail: 'the message could not be spoken' });
    }
  }

  async #say(call: PhoneCall, media: CallMedia, text: string, ending: CallEnding): Promise<void> {
    try {
      this.#play(call, media, await this.#deps.speak(call, this.#order.agentId, text), ending);
    } catch {
      call.end(ending);
    }
  }

  #play(call: PhoneCall, media: CallMedia, sound: Uint8Array, ending: CallEnding): void {
    if (call.isOver) return;
    const { clock } = this.#deps;
    const done = () => {
      this.#stop = clock.after(AFTER_MESSAGE_MS, () => call.end(ending));
    };
    media.setHandler(new PlaybackMediaHandler({ clock, sound, done }));
  }
}
