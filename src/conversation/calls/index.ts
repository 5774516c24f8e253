export type { LaneReservation } from '../../media/engine/index.ts';
export type { TransferManner } from '../flows/index.ts';
export { AdmissionMonitor } from './admission-monitor.ts';
export { type AgentSpan, spanAt, talkBySpan } from './agent-spans.ts';
export type { AgentServices } from './call-agent.ts';
export { UnusableLookup } from './call-agent.ts';
export {
  CALL_GROUPS,
  CallAnalytics,
  type CallAnalyticsResult,
  MOST_COUNTED_CALLS,
} from './call-analytics.ts';
export type { CallCheckpoint } from './call-checkpoint.ts';
export {
  CallCheckpoints,
  type CallCheckpointsOptions,
  type ClaimedCheckpoint,
  notResumable,
  RESUME_WITHIN_MS,
} from './call-checkpoints.ts';
export type { CallControls } from './call-controls.ts';
export { Degradations } from './call-end.ts';
export { publishCallEnded } from './call-ended-event.ts';
export { checkCallFilter, type OmniCallFilter } from './call-filter.ts';
export type { KnowledgeBasePassage, KnowledgeBaseSource, KnowledgeGap } from './call-knowledge.ts';
export type { AgentMessaging } from './call-messages.ts';
export { type CallMetrics, createCallMetrics } from './call-metrics.ts';
export {
  CallReader,
  type CallRecordFilter,
  type WholeCall,
} from './call-reader.ts';
export {
  advanceCall,
  beginCall,
  callIdOf,
  endCallIfOver,
  forgetCallIfEmpty,
  hasCall,
  markTestCalls,
  type NewCall,
  ownCall,
  ownerOfCall,
  usageIdOf,
} from './call-records.ts';
export {
  type CallEnd,
  type CallListRow,
  type CallSnapshot,
  type CallStart,
  CallStore,
  type CallStoreOptions,
  SessionEnded,
} from './call-store.ts';
export { callUseOf } from './call-use.ts';
export type { CapturedValue, CaptureFailure } from './capture-interlude.ts';
export {
  type CallConfiguration,
  type ConfigurationWarning,
  SERVED_LANGUAGES,
  type ServedLanguage,
} from './configuration.ts';
export type {
  CallerConnection,
  CallGuards,
  CallMonitor,
  CallRecorder,
  CallResume,
  CallTransport,
  LanguageChange,
} from './contract.ts';
export { createVoiceEngine } from './engine-lane.ts';
export type { FlowAnalyticsResult } from './flow-analytics.ts';
export {
  AWAITED,
  type SimulatedEvent,
  type Simulation,
  SimulationError,
} from './flow-simulation.ts';
export { type CallEvent, type CallState, transition } from './lifecycle.ts';
export { LiveCall, type LiveCallDeps, labelOfVersion } from './live-call.ts';
export { type CallBack, type CallParts, type LostCall, LostCalls } from './lost-calls.ts';
export { callPersonalData } from './personal-data.ts';
export {
  type EndedCallIdentity,
  findEndedCall,
  type PostCallResults,
  savePostCallResults,
} from './post-call-results.ts';
export { RecordedCalls } from './recorded-calls.ts';
export { transcriptSweep } from './retention.ts';
export { readSessionInputs, SessionInputs } from './session-inputs.ts';
export { simulateInWorker } from './simulate-in-worker.ts';
export { type CallBridge, type SupervisableCall, SupervisableCalls } from './supervisable-calls.ts';
export { TRANSCRIPT_PATH, TranscriptLinks } from './transcript-links.ts';
export { TranscriptOffload } from './transcript-offload.ts';
export { openTranscript, readTranscriptEntries } from './transcripts.ts';
export { CALL_RATES, type CallRate, type VoiceEngine, type VoiceLaneOptions } from './voice-engine.ts';
