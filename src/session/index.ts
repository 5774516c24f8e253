export type { AgentTurn, TurnFailure } from './agent-turn.ts';
export type { TranscriptEntry } from './conversation.ts';
export { LADDER, type LadderTimes, type Rung } from './ladder.ts';
export {
  type EndReason,
  Session,
  type SessionOptions,
  type SessionOutput,
  type SessionSettings,
  type TurnLatency,
} from './session.ts';
export { type SessionTool, ToolDesk, type ToolInvocation, type ToolOutcome } from './tool-desk.ts';
export type { CallerUtterance, LaneEvent, PlayedSegment, VoiceLane } from './voice-lane.ts';
