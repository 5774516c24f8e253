import type { Admission, Principal, TenantScope } from '../../foundation/access/contract.ts';
import type { ErrorCode } from '../../foundation/platform/errors.ts';
import type { CallRow } from '../../foundation/storage/tables/calls.ts';
import type { LaneReservation } from '../../media/engine/index.ts';
import type { TransferManner } from '../flows/index.ts';
import type {
  CallGuard,
  EndReason,
  IdlePlan,
  SessionOutput,
  SimilarityFunction,
  ToolInvocation,
} from '../session/index.ts';
import type { ClaimedCheckpoint } from './call-checkpoints.ts';
import type { CapturedValue, CaptureFailure } from './capture-interlude.ts';
import type { CallConfiguration } from './configuration.ts';
import type { CallRate } from './voice-engine.ts';

export interface CallerConnection {
  readonly callId: string;
  readonly partOf?: string;
  readonly kind?: CallRow['kind'];
  readonly principal: Principal;
  readonly admission: Admission;
  readonly rate: CallRate;
  /** PCM16 is the default; µ-law is available at 8 kHz only. */
  readonly codec?: 'ulaw';
  /** The engine detects DTMF in the audio; without it, the transport sends keys as events. */
  readonly hearsKeys?: boolean;
  readonly endpointingMs?: number;
  readonly idle?: IdlePlan;
  readonly sessionLabel: string | null;
  /** The version in which the agent had an earlier session of the same call; absent in the first. */
  readonly agentVersion?: number;
  /** The agent only transcribes a talk between people and says nothing. */
  readonly listens?: boolean;
  readonly lane?: LaneReservation;
  readonly resumable?: boolean;
  /** The carrier's name of the call, by which a later connection resumes it without the random token. */
  readonly resumeKey?: string;
  readonly resumes?: ClaimedCheckpoint;
  /** The session did not begin, so a credential for a single session becomes valid again. */
  onNotBegun?(): void;
}

export interface CallRecorder {
  path(callId: string, segment?: number): string;
  /** A resumed call has a further segment, whose number is higher than that of any before it. */
  open(callId: string, principal: Principal, externalId: string | null, segment?: number): Promise<void>;
  /** Returns null where a call that is resumed is not recorded. */
  resumed(callId: string): Promise<{ readonly isPaused: boolean } | null>;
  began(callId: string, atMs: number): void;
  failed(callId: string): void;
  paused(callId: string, on: boolean): void;
  closed(callId: string, segment?: number): void;
  finish(callId: string): Promise<void>;
}

export interface CallResume {
  readonly token: string;
  readonly ttlMs: number;
  /** The call was resumed after this turn, of which `playedMs` were played; null marks a call that has just begun. */
  readonly resumed: { readonly turn: number; readonly playedMs: number } | null;
}

export interface LanguageChange {
  readonly from: string;
  readonly to: string;
  readonly reason: 'detected' | 'asked' | 'flow' | 'tool';
  readonly turnId: number;
  readonly atMs: number;
}

export interface CallTransport
  extends Pick<SessionOutput, 'audio' | 'transcript' | 'bargeIn' | 'turn' | 'speech' | 'turnOver'> {
  acknowledge(configured: CallConfiguration, resume?: CallResume): void;
  /** `node` is the public address of another node that can serve the call. */
  sendError(code: ErrorCode, message: string, param: string | null, node?: string | null): void;
  toolCall(invocation: ToolInvocation): void;
  captured(slot: string, kind: string, result: CapturedValue): void;
  captureFailed(slot: string, reason: CaptureFailure): void;
  flowNode?(node: string, from: string | null): void;
  languageChanged?(change: LanguageChange): void;
  sendKeys(digits: string): void;
  /** While supervisors hear the call, its audio must not take a path that the engine knows alone. */
  bridged?(on: boolean): void;
  /** Transfers the call to a person; without `manner`, the transport's default kind of transfer applies. */
  transfer(to: string, summary: string, manner?: TransferManner): void;
  /** It comes once, as the last event, for a call that has begun or was never configured. */
  ended(reason: EndReason, durationMs: number): void;
  /** It comes once, as the last event, for a call that could not begin; a null code means an internal error. */
  failed(code: ErrorCode | null, status: number | null): void;
}

export interface CallGuards {
  guardFor(scope: TenantScope, agentId: string | null): Promise<CallGuard | null>;
  readonly similarity?: SimilarityFunction;
}

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
