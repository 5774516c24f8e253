import {
  type CallerConnection,
  type CallLine,
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

/** How an agent's time on the line ended by itself. */
export type AgentOutcome =
  | { readonly kind: 'ended'; readonly reason: EndReason }
  | ({ readonly kind: 'hand_over' } & HandOverOrder)
  /** It could not begin. */
  | { readonly kind: 'failed'; readonly code: ErrorCode };

/** The call goes to a person; without `manner`, as a warm transfer. */
export interface HandOverOrder {
  readonly to: string;
  readonly summary: string;
  readonly manner?: TransferManner;
}

/** A session of a call. */
export interface SessionPart {
  readonly callId: string;
  readonly sessionId: string;
}

export interface AgentSessionOrder {
  readonly principal: Principal;
  readonly admission: Admission;
  readonly agentId: string | null;
  /** The session is a call of its own where this is absent. */
  readonly part?: SessionPart;
  /** The lane that is reserved for the agent. */
  readonly lane?: LaneReservation;
  /** The agent hears and writes what is said, and says nothing. */
  readonly listens?: boolean;
  readonly configuration: Omit<omni.Configuration, 'type'>;
  readonly sendKeys: (digits: string) => void;
  /** The session is configured, and about to greet. */
  readonly begun?: () => void;
  readonly done: (outcome: AgentOutcome) => void;
}

const nothing = (): void => undefined;

/** An agent on the line: a live call of Omni whose sound is the line's. */
export class AgentMediaHandler implements MediaHandler {
  /** The id of the session. */
  readonly callId: string;
  readonly #call: LiveCall;
  readonly #order: AgentSessionOrder;
  readonly #marks: PlayoutMarks;
  #leg: MediaLeg | null = null;
  #left = false;
  #handOver: HandOverOrder | null = null;

  constructor(deps: LiveCallDeps, order: AgentSessionOrder) {
    this.#order = order;
    const { principal, admission, agentId, part, lane } = order;
    this.callId = part?.sessionId ?? newId('ocl');
    const caller: CallerConnection = {
      callId: this.callId,
      ...(part === undefined ? { kind: 'telephony' } : { partOf: part.callId }),
      principal,
      admission,
      rate: 8000,
      codec: 'ulaw',
      sessionLabel: agentId,
      ...(lane === undefined ? {} : { lane }),
      ...(order.listens === true ? { listens: true } : {}),
    };
    this.#call = new LiveCall(deps, caller, this.#line());
    const lag = (ms: number) => this.#call.controls?.setPlayoutDelay(ms);
    this.#marks = new PlayoutMarks({ clock: deps.clock, owner: this.callId, lag });
  }

  /** `leg`: null where the call has no sound here. */
  enter(leg: MediaLeg | null): void {
    this.#leg = leg;
    this.#call.configure({ type: 'configure', ...this.#order.configuration });
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

  leave(): void {
    this.#left = true;
    this.#leg?.join?.(null);
    this.#leg = null;
    this.#call.end('client_ended');
  }

  #line(): CallLine {
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
      failed: (code) => this.#tell({ kind: 'failed', code: code ?? 'internal_error' }),
      transcript: nothing,
      turn: nothing,
      speech: nothing,
      acknowledge: () => {
        this.#join();
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

  /** Where the carrier's sound is the engine's, it comes no way through here. */
  #join(): void {
    const leg = this.#leg;
    if (leg?.join === undefined) return;
    const lane = this.#call.controls?.laneRef();
    if (lane) leg.join(lane);
  }

  #done(reason: EndReason): void {
    const order = this.#handOver;
    if (reason === 'hand_over' && order !== null) this.#tell({ kind: 'hand_over', ...order });
    else this.#tell({ kind: 'ended', reason });
  }

  /** Whoever took the line away knows that the agent has ended. */
  #tell(outcome: AgentOutcome): void {
    if (!this.#left) this.#order.done(outcome);
  }
}
