export { AdmissionWatch } from './admission-watch.ts';
export { type Afterwards, type CallThatEnded, callThatEnded, noteAfterwards } from './afterwards.ts';
export type { AgentRooms } from './agent-of-call.ts';
export { Degradations } from './call-end.ts';
export { type CallFilter, checkFilter } from './call-filter.ts';
export type { HostedKnowledge, HostedPassage, KnowledgeGap } from './call-knowledge.ts';
export { type CallMetrics, createCallMetrics } from './call-metrics.ts';
export {
  type CallEnd,
  type CallHead,
  type CallSoFar,
  type CallStart,
  CallStore,
  type CallStoreOptions,
} from './call-store.ts';
export type { AgentTexts } from './call-texts.ts';
export type { Captured, CaptureFailure } from './capturing.ts';
export { type Complaint, type Configured, SERVED_LANGUAGES, type ServedLanguage } from './configuration.ts';
export type { Caller, CallGuards, CallLine, CallRecorder, CallWatch } from './contract.ts';
export { tellEnded } from './ended-event.ts';
export { CALL_RATES, type CallRate, type VoiceEngine, type VoiceLaneOptions } from './engine.ts';
export { createVoiceEngine } from './engine-lane.ts';
export { LiveCall, type LiveCallDeps } from './live-call.ts';
export { callsOfPersons } from './personal.ts';
export { transcriptSweep } from './retention.ts';
export type { Steering } from './steering.ts';
export { TRANSCRIPT_PATH, TranscriptLinks } from './transcript-links.ts';
export { TranscriptOffload } from './transcript-offload.ts';
export { entriesOf, openTranscript } from './transcripts.ts';
