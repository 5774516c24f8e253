export type { AgentTurn, TurnFailure } from './agent-turn.ts';
export type {
  DegradedReason,
  DegradedStep,
  EndReason,
  SessionOptions,
  SessionOutput,
  SessionSettings,
  TurnLatency,
} from './contract.ts';
export type { TranscriptEntry } from './conversation.ts';
export { LADDER, type LadderTimes, type Rung } from './ladder.ts';
export { Session } from './session.ts';
export { type SessionTool, ToolDesk, type ToolInvocation, type ToolOutcome, TooOften } from './tool-desk.ts';
export type { CallerUtterance, LaneEvent, PlayedSegment, SpeakOptions, VoiceLane } from './voice-lane.ts';
