export type { AgentTurn, TurnFailure } from './agent-turn.ts';
export type { CallGuard, GuardRuling } from './answer-guard.ts';
export type { AnswerTerms } from './answer-terms.ts';
export { isAbbreviation } from './clause-splitter.ts';
export type {
  DegradedReason,
  DegradedStep,
  EndReason,
  IdlePlan,
  SessionOptions,
  SessionOutput,
  SessionSettings,
  TurnLatency,
  TurnTokenUsage,
} from './contract.ts';
export type { TranscriptEntry, TurnMessages } from './conversation-history.ts';
export {
  DEFAULT_ESCALATION_TIMEOUTS,
  type EscalationStep,
  type EscalationTimeouts,
} from './escalation-timer.ts';
export { HoldMusicFilter } from './hold-music-filter.ts';
export type { Interlude, InterludeInput, InterludeStep } from './interlude.ts';
export { phraseOf, type SessionPhrases } from './phrases.ts';
export { quoteContext } from './quoting.ts';
export { Session } from './session.ts';
export type { PendingAnswer, SessionCheckpoint } from './session-checkpoint.ts';
export type { ToolCallRecord } from './tool-call-log.ts';
export type {
  SessionTool,
  ToolAnswer,
  ToolEffect,
  ToolInvocation,
  ToolOutcome,
  ToolRun,
} from './tool-contract.ts';
export {
  type SessionTools,
  ToolDispatcher,
  ToolsReplacedTooOften,
  type ToolTable,
} from './tool-dispatcher.ts';
export { checkArgumentSchema, compileArguments, SchemaBudget } from './tool-schema.ts';
export type { SimilarityFunction } from './topic-guard.ts';
export type {
  CallerUtterance,
  ExpectedAnswer,
  LaneEvent,
  OthersSpeech,
  PlayedSegment,
  SpeakOptions,
  VoiceLane,
} from './voice-lane.ts';
