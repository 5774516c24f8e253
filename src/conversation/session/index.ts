export type { AgentTurn, TurnFailure } from './agent-turn.ts';
export type {
  DegradedReason,
  DegradedStep,
  EndReason,
  IdlePlan,
  SessionOptions,
  SessionOutput,
  SessionSettings,
  TurnCost,
  TurnLatency,
} from './contract.ts';
export type { TranscriptEntry } from './conversation.ts';
export type { CallGuard, Ruling } from './guarding.ts';
export type { Interlude, InterludeInput, InterludeStep } from './interlude.ts';
export { LADDER, type LadderTimes, type Rung } from './ladder.ts';
export { OnHold } from './on-hold.ts';
export type { SessionPhrases } from './phrases.ts';
export { Session } from './session.ts';
export type { ToolCalled } from './tool-account.ts';
export type {
  SessionTool,
  ToolAnswer,
  ToolEffect,
  ToolInvocation,
  ToolOutcome,
  ToolRun,
} from './tool-contract.ts';
export { ToolDesk, TooOften } from './tool-desk.ts';
export { checkArgumentSchema, compileArguments, SchemaAllowance } from './tool-schema.ts';
export type { CallerUtterance, LaneEvent, PlayedSegment, SpeakOptions, VoiceLane } from './voice-lane.ts';
