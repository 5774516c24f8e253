import type { Clock } from '../../foundation/platform/clock.ts';
import type { omni } from '../../media/wire/index.ts';
import type { Brain, BrainLanguage, Passage } from '../brains/index.ts';
import type { TurnDegradation, TurnFailure } from './agent-turn.ts';
import type { CallGuard } from './answer-guard.ts';
import type { EscalationStep, EscalationTimeouts } from './escalation-timer.ts';
import type { Interlude } from './interlude.ts';
import type { SessionPhrases } from './phrases.ts';
import type { SessionCheckpoint } from './session-checkpoint.ts';
import type { SessionTools } from './tool-dispatcher.ts';
import type { SimilarityFunction } from './topic-guard.ts';
import type { OthersSpeech, VoiceFault, VoiceLane } from './voice-lane.ts';

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

export interface SessionOutput {
  audio(pcm: Uint8Array): void;
  transcript(message: { role: 'user' | 'agent'; turnId: number; text: string; final: boolean }): void;
  bargeIn(turnId: number, playedMs: number): void;
  turn(turnId: number, latency: TurnLatency): void;
  /**
   * Reports why the caller heard something other than an answer. `withheld` has the agent's words that a rule
   * refused.
   */
  degraded(
    turnId: number,
    step: DegradedStep,
    reason: DegradedReason,
    rule?: string,
    withheld?: string,
  ): void;
  turnOver?(turnId: number, interrupted: boolean): void;
  handedOver?(rule: string): void;
  speech(kind: 'started' | 'stopped', atMs: number): void;
  /** Another than the caller spoke, which the speaker lock kept out of the conversation. */
  leftOut?(speech: OthersSpeech): void;
  /**
   * Reports the usage of every request, including failed and repeated ones, which count toward the answer's
   * cost.
   */
  tokensUsed(turnId: number, cost: TurnTokenUsage): void;
  /** A speculative answer was used or discarded this long after the request to the brain. */
  speculationResolved(outcome: 'used' | 'discarded', ms: number): void;
  /** Recording may start: there is no consent line, or it was played completely. */
  recordingAllowed?(): void;
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
  /** An agent that the call was handed to may name none: then it is null. */
  readonly timeZone?: string | null;
  readonly brain?: string | null;
  /** The customer's plan. */
  readonly plan?: string;
  readonly phrases?: SessionPhrases;
}

export interface IdlePlan {
  readonly afterMs: number;
  readonly times: number;
  readonly hangUp: boolean;
}

export interface SessionOptions {
  readonly clock: Clock;
  readonly lane: VoiceLane;
  readonly brain: Brain;
  readonly toolDispatcher: SessionTools;
  readonly output: SessionOutput;
  readonly retrieve: (query: string, signal: AbortSignal) => Promise<readonly Passage[]>;
  readonly settings: SessionSettings;
  readonly guard?: CallGuard | undefined;
  /** Without it, allowed topics are an instruction of the brain alone. */
  readonly similarity?: SimilarityFunction;
  readonly owner?: string;
  readonly call?: string;
  readonly resumes?: SessionCheckpoint;
  /** The host interlude controls the whole call, from its greeting on. */
  readonly host?: Interlude | undefined;
  readonly escalationTimeouts?: EscalationTimeouts;
  readonly idle?: IdlePlan;
  readonly speculates?: boolean;
}
