import {
  type CallerConnection,
  type CallTransport,
  type ClaimedCheckpoint,
  type LaneReservation,
  LiveCall,
  type LiveCallDeps,
  type TransferManner,
} from '../../conversation/calls/index.ts';
import type { EndReason } from '../../conversation/session/index.ts';
import type { Admission, Principal } from '../../foundation/access/contract.ts';
import type { ErrorCode } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { omni } from '../../media/wire/index.ts';
import type { MediaLeg } from '../carriers/index.ts';
import type { MediaHandler } from './call-media.ts';
import { PlayoutMarks } from './playout-marks.ts';

export type AgentOutcome =
  | { readonly kind: 'ended'; readonly reason: EndReason }
  | ({ readonly kind: 'hand_over' } & HandOverOrder)
  | { readonly kind: 'failed'; readonly code: ErrorCode };

/** The call goes to a human. Without `manner` it is a warm transfer. */
export interface HandOverOrder {
  readonly to: string;
  readonly summary: string;
  readonly manner?: TransferManner;
}

export interface SessionPart {
  readonly callId: string;
  readonly sessionId: string;
}

export interface AgentSessionOrder {
  readonly principal: Principal;
  readonly admission: Admission;
  readonly agentId: string | null;
  readonly agentVersion?: number;
  /** The session is a call of its own where this is absent. */
  readonly part?: SessionPart;
  readonly lane?: LaneReservation;
  readonly listens?: boolean;
  readonly resumeKey?: string;
  readonly resumes?: ClaimedCheckpoint;
  /** The agent knows this from the beginning; it is read when the session has begun. */
  readonly context?: () => string | null;
  readonly configuration: Omit<omni.Configuration, 'type'>;
  readonly sendKeys: (digits: string) => void;
  readonly begun?: () => void;
  readonly done: (outcome: AgentOutcome) => void;
}

const nothing = (): void => undefined;

export class AgentMediaHandler implements MediaHandler {
  readonly callId: string;
  readonly #call: LiveCall;
  readonly #order: AgentSessionOrder;
  readonly #marks: PlayoutMarks;
  #leg: MediaLeg | null = null;
  #left = false;
  #handOver: HandOverOrder | null = null;

  constructor(deps: LiveCallDeps, order: AgentSessionOrder) {
    this.#order = order;
    const { principal, admission, agentId, part, lane, resumes, resumeKey } = order;
    this.callId = resumes?.id ?? part?.sessionId ?? newId('ocl');
    const caller: CallerConnection = {
      callId: this.callId,
      ...(part === undefined ? { kind: 'telephony' } : { partOf: part.callId }),
      principal,
      admission,
      rate: 8000,
      codec: 'ulaw',
      sessionLabel: resumes === undefined ? agentId : resumes.state.sessionLabel,
      ...(resumeKey === undefined ? {} : { resumeKey, resumable: true }),
      ...(resumes === undefined ? {} : { resumes }),
      ...(lane === undefined ? {} : { lane }),
      ...(order.listens === true ? { listens: true } : {}),
      ...(order.agentVersion === undefined ? {} : { agentVersion: order.agentVersion }),
    };
    this.#call = new LiveCall(deps, caller, this.#transport());
    const lag = (ms: number) => this.#call.controls?.setPlayoutDelay(ms);
    this.#marks = new PlayoutMarks({ clock: deps.clock, owner: this.callId, lag });
  }

  get agentVersion(): number | null {
    return this.#call.agentVersion;
  }

  /** Returns what was said in the session so far, or until its end. */
  get heard(): string {
    return this.#call.transcript.map(({ text }) => text).join('\n');
  }

  /** `leg` is null where the audio of the call does not pass through this process. */
  enter(leg: MediaLeg | null): void {
    this.#leg = leg;
    if (this.#order.resumes !== undefined) this.#call.resume();
    else this.#call.configure({ type: 'configure', ...this.#order.configuration });
  }

  audio(frames: Uint8Array): void {
    this.#call.audio(frames);
  }

  marked(name: string): void {
    this.#marks.marked(name);
  }

  key(digit: string): void {
    this.#call.controls?.dtmf(digit);
  }

  whisper(text: string): boolean {
    const { controls: steering } = this.#call;
    steering?.injectContext(text);
    return steering !== null;
  }

  /** The carrier's connection broke, or this node drains: the call waits for another connection of the carrier. */
  lost(reason: 'client_gone' | 'draining'): void {
    this.#left = true;
    this.#call.suspend(reason);
  }

  leave(): void {
    this.#left = true;
    this.#leg?.join?.(null);
    this.#leg = null;
    this.#call.end('client_ended');
  }

  #transport(): CallTransport {
    return {
      audio: (frames) => this.#send(frames),
      bargeIn: () => {
        this.#marks.cleared();
        this.#leg?.clear();
      },
      sendKeys: (digits) => this.#order.sendKeys(digits),
      transfer: (to, summary, manner) => {
        this.#handOver = { to, summary, ...(manner === undefined ? {} : { manner }) };
      },
      ended: (reason) => this.#done(reason),
      failed: (code) => this.#notify({ kind: 'failed', code: code ?? 'internal_error' }),
      transcript: nothing,
      turn: nothing,
      speech: nothing,
      acknowledge: () => {
        this.#join();
        const context = this.#order.context?.() ?? null;
        if (context !== null) this.#call.controls?.injectContext(context);
        this.#order.begun?.();
      },
      sendError: nothing,
      toolCall: nothing,
      captured: nothing,
      captureFailed: nothing,
    };
  }

  #send(frames: Uint8Array): void {
    if (this.#leg === null) return;
    this.#leg.send(frames);
    this.#marks.sent(this.#leg, frames);
  }

  /** Joins the agent's lane with the carrier's media inside the engine, if the carrier's leg supports it. */
  #join(): void {
    const leg = this.#leg;
    if (leg?.join === undefined) return;
    const lane = this.#call.controls?.laneRef();
    if (lane) leg.join(lane);
  }

  #done(reason: EndReason): void {
    const order = this.#handOver;
    if (reason === 'hand_over' && order !== null) this.#notify({ kind: 'hand_over', ...order });
    else this.#notify({ kind: 'ended', reason });
  }

  /** A handler that has lost the line does not report the agent's end. */
  #notify(outcome: AgentOutcome): void {
    if (!this.#left) this.#order.done(outcome);
  }
}
