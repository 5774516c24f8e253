import type { Clock } from '../../foundation/platform/clock.ts';
import type { omni } from '../../media/wire/index.ts';
import type { Brain, BrainLanguage, Passage } from '../brains/index.ts';
import type { TurnDegradation, TurnFailure } from './agent-turn.ts';
import type { CallGuard } from './answer-guard.ts';
import type { EscalationStep, EscalationTimeouts } from './escalation-timer.ts';
import type { Interlude } from './interlude.ts';
import type { SessionPhrases } from './phrases.ts';
import type { SessionCheckpoint } from './session-checkpoint.ts';
import type { ToolDispatcher } from './tool-dispatcher.ts';
import type { VoiceFault, VoiceLane } from './voice-lane.ts';

export type EndReason = omni.EndReason;

export interface TurnLatency {
  readonly endpoint: number;
  readonly asr: number;
  readonly brain: number;
  readonly tts: number;
  readonly total: number;
}

export interface TurnTokenUsage {
  readonly promptTokens: number;
  /** The part of the prompt tokens that the endpoint served from its cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
}

export type DegradedStep = EscalationStep | 'voice' | TurnDegradation['step'];
export type DegradedReason =
  | TurnFailure
  | TurnDegradation['reason']
  | 'brain_slow'
  | 'speech_slow'
  | `voice_${VoiceFault}`;

/** The surface frames the session's output. */
export interface SessionOutput {
  audio(pcm: Uint8Array): void;
  transcript(message: { role: 'user' | 'agent'; turnId: number; text: string; final: boolean }): void;
  bargeIn(turnId: number, playedMs: number): void;
  turn(turnId: number, latency: TurnLatency): void;
  /** Typed reasons of what the caller heard instead of an answer. */
  /** `withheld`: words of the agent that nobody hears, for the rule. */
  degraded(
    turnId: number,
    step: DegradedStep,
    reason: DegradedReason,
    rule?: string,
    withheld?: string,
  ): void;
  /** A turn of the agent's is the past: what was heard of it is known, and told. */
  turnOver?(turnId: number, interrupted: boolean): void;
  /** A rule hands the call to a person; the call ends behind the turn. */
  handedOver?(rule: string): void;
  /** The caller begins to speak, or has stopped, on the media clock. */
  speech(kind: 'started' | 'stopped', atMs: number): void;
  /**
   * Reports the usage of every request, including failed and repeated ones, which count toward the answer's
   * cost.
   */
  tokensUsed(turnId: number, cost: TurnTokenUsage): void;
  /** An answer that was begun on a guess was what the caller wanted, or was thrown away, so long after the model was asked. */
  speculationResolved(outcome: 'used' | 'discarded', ms: number): void;
  /** Nothing stands against recording the call any more: there is no consent line, or it was heard whole. */
  recordingAllowed?(): void;
  /** Once, last. */
  ended(reason: EndReason): void;
}

export interface SessionSettings {
  readonly language: BrainLanguage;
  readonly persona: string;
  readonly greeting: string;
  readonly consentLine: string;
  readonly seed?: number;
  readonly temperature?: number;
  readonly grounding?: 'strict' | 'open';
  /** The zone for dates (an IANA name). */
  readonly timeZone?: string;
  /** A name of the operator's list. */
  readonly brain?: string;
  readonly phrases?: SessionPhrases;
}

/** When a silent caller is asked whether they are still there, and how often. */
export interface IdlePlan {
  readonly afterMs: number;
  readonly times: number;
  /** Whether the call ends when nobody answers. */
  readonly hangUp: boolean;
}

export interface SessionOptions {
  readonly clock: Clock;
  readonly lane: VoiceLane;
  readonly brain: Brain;
  readonly toolDispatcher: ToolDispatcher;
  readonly output: SessionOutput;
  readonly retrieve: (query: string, signal: AbortSignal) => Promise<readonly Passage[]>;
  readonly settings: SessionSettings;
  /** Without a guard, answers are not checked. */
  readonly guard?: CallGuard | undefined;
  /** The owner of the call. */
  readonly owner?: string;
  /** Which call it is. */
  readonly call?: string;
  /** The call goes on from here; absent: it begins. */
  readonly resumes?: SessionCheckpoint;
  /** Has the talk of the whole call, from its greeting on. */
  readonly host?: Interlude | undefined;
  readonly escalationTimeouts?: EscalationTimeouts;
  readonly idle?: IdlePlan;
  /** Whether an answer is begun while it is only likely that the caller has finished. */
  readonly speculates?: boolean;
}
