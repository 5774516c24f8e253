/** A call as those see it who carry it: what they hand in, and what they are told. */
import type { Admission, Principal, TenantScope } from '../../foundation/access/contract.ts';
import type { ErrorCode } from '../../foundation/platform/errors.ts';
import type { CallRow } from '../../foundation/storage/tables/calls.ts';
import type { LaneReservation } from '../../media/engine/index.ts';
import type { TransferManner } from '../flows/index.ts';
import type { CallGuard, EndReason, IdlePlan, SessionOutput, ToolInvocation } from '../session/index.ts';
import type { ClaimedCheckpoint } from './call-checkpoints.ts';
import type { CapturedValue, CaptureFailure } from './capture-interlude.ts';
import type { CallConfiguration } from './configuration.ts';
import type { CallRate } from './voice-engine.ts';

/** Who calls, and how their audio comes. */
export interface CallerConnection {
  /** The id of the session. */
  readonly callId: string;
  /** The call that the session is a part of; absent: the session is a call of its own, and has its id. */
  readonly partOf?: string;
  /** The default is `browser`. */
  readonly kind?: CallRow['kind'];
  readonly principal: Principal;
  readonly admission: Admission;
  readonly rate: CallRate;
  /** PCM16 where absent; u-law at 8 kHz alone. */
  readonly codec?: 'ulaw';
  /** Keys are heard in the sound; absent: the line tells them apart from it. */
  readonly hearsKeys?: boolean;
  /** Silence that ends a turn; absent: the engine's own. An agent's profile wins. */
  readonly endpointingMs?: number;
  /**
   * The times at which the agent prompts a silent caller; absent, the general ones apply. An agent's profile
   * wins.
   */
  readonly idle?: IdlePlan;
  readonly sessionLabel: string | null;
  /** People talk with each other: the agent hears and writes what they say, and says nothing. */
  readonly listens?: boolean;
  /** The room that is kept for the call's lane; absent: it takes what is free. */
  readonly lane?: LaneReservation;
  /** A client that was cut off may go on with the call over another connection. */
  readonly resumable?: boolean;
  /** The call goes on from here; absent: it begins. */
  readonly resumes?: ClaimedCheckpoint;
  /** The session did not begin: what opens only one is good again. */
  onNotBegun?(): void;
}

/** Who keeps the recordings of calls. */
export interface CallRecorder {
  path(callId: string): string;
  open(callId: string, principal: Principal, externalId: string | null): Promise<void>;
  began(callId: string, atMs: number): void;
  failed(callId: string): void;
  /** The agent has the recording silent for now, or not any more. */
  paused?(callId: string, on: boolean): void;
  closed(callId: string): void;
  /** The call's record is written. */
  finish(callId: string): Promise<void>;
}

/** How a client that is cut off goes on with its call. */
export interface CallResume {
  readonly token: string;
  readonly ttlMs: number;
  /** The call was resumed, behind this turn, of which so much was played; null: it has just begun. */
  readonly resumed: { readonly turn: number; readonly playedMs: number } | null;
}

export interface LanguageChange {
  readonly from: string;
  readonly to: string;
  readonly reason: 'detected' | 'asked' | 'flow' | 'tool';
  readonly turnId: number;
  readonly atMs: number;
}

/** The surface frames what a call sends its client. */
export interface CallLine
  extends Pick<SessionOutput, 'audio' | 'transcript' | 'bargeIn' | 'turn' | 'speech' | 'turnOver'> {
  /** Reports the applied configuration and its warnings. */
  acknowledge(configured: CallConfiguration, resume?: CallResume): void;
  sendError(code: ErrorCode, message: string, param: string | null): void;
  toolCall(invocation: ToolInvocation): void;
  /** An exact value that the caller gave and confirmed. */
  captured(slot: string, kind: string, result: CapturedValue): void;
  captureFailed(slot: string, reason: CaptureFailure): void;
  /** The call has come to this node of its flow. */
  flowNode?(node: string, from: string | null): void;
  /** The call goes on in another language, from the next turn on. */
  languageChanged?(change: LanguageChange): void;
  /** Whoever carries the call presses these keys. */
  sendKeys(digits: string): void;
  /** The call goes to a person; without `manner`, as the line is used to. */
  transfer(to: string, summary: string, manner?: TransferManner): void;
  /** Once, last, for a call that has begun or was never configured. */
  ended(reason: EndReason, durationMs: number): void;
  /** Once, last, for a call that could not begin; null: by our own fault. */
  failed(code: ErrorCode | null, status: number | null): void;
}

/** Whoever looks at what is said in a call while it goes on. */
export interface CallGuards {
  /** Returns null where no rule checks this agent. */
  guardFor(scope: TenantScope, agentId: string | null): Promise<CallGuard | null>;
}

/** Whoever watches calls while they go on. */
export interface CallMonitor {
  begin(call: {
    readonly callId: string;
    readonly principal: Principal;
    readonly agentId: string | null;
    readonly sessionLabel: string | null;
    readonly language: string;
  }): MonitoredCall;
}

export interface MonitoredCall {
  said(role: 'user' | 'agent', turnId: number, text: string, final: boolean): void;
  speech(kind: 'started' | 'stopped'): void;
  turn(turnId: number, latency: object): void;
  over(reason: string): void;
}
