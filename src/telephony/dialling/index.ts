export { AgentCallFlow, type AgentCallFlowDeps, type SpeakLine } from './agent-call-flow.ts';
export type { AgentMediaHandler as AgentPart, AgentOutcome } from './agent-media-handler.ts';
export { ApprovedNumbers } from './approved-numbers.ts';
export { type CallAgentDeps, type CarrierResume, callAgentOrder } from './call-agent.ts';
export { callsBack } from './call-backs.ts';
export { CallCommands, callNotLive } from './call-commands.ts';
export { type CallCost, CallCosts } from './call-costs.ts';
export { CallDispatcher, type CallInput, type DialPermission } from './call-dispatcher.ts';
export { CallMedia } from './call-media.ts';
export { callView, campaignView, numberView, voicemailView } from './call-view.ts';
export { CampaignAdmission } from './campaign-admission.ts';
export {
  type CampaignPlan,
  isOpen,
  isZone,
  Pacing,
  PLAN_OBJECTS,
  Retries,
  Windows,
} from './campaign-plan.ts';
export { CampaignRunner } from './campaign-runner.ts';
export {
  CampaignTargets,
  TARGET_STATES,
  type TargetFilter,
  targetEnd,
  targetView,
} from './campaign-targets.ts';
export { Campaigns } from './campaigns.ts';
export { type AudibleTo, ConferenceMixer, type ConferenceParticipant } from './conference-mixer.ts';
export { CALL_STATES, type CallRequest, checkMessage, PAUSED_REASONS } from './contract.ts';
export { DenoisedAudio, type OpenDenoisedAudio } from './denoised-audio.ts';
export { DialAdmission } from './dial-admission.ts';
export { DialLimiter, type DialLimits } from './dial-limiter.ts';
export { hangUpCall } from './hang-up-call.ts';
export { LivePhoneCalls } from './live-phone-calls.ts';
export { SILENCE } from './loudness.ts';
export { pcm16At, ULAW } from './mixer-format.ts';
export { releaseAllNumbers } from './number-returns.ts';
export { Amd, NumberSettings, NumberSettingsChange } from './number-settings.ts';
export { telephonyPersonalData } from './personal-data.ts';
export { PhoneCall } from './phone-call.ts';
export type { SegmentRecorder } from './phone-call-recorder.ts';
export { type NumberCases, type NumberChange, PhoneNumberService } from './phone-number-service.ts';
export { withReservation } from './reservation.ts';
export { routeRequester } from './route-url.ts';
export { MOST_TELEPHONES, SipTelephones, type SipTelephoneView } from './sip-telephones.ts';
export {
  phoneSupervision,
  SUPERVISIONS,
  type SupervisedCall,
  type SupervisedMedia,
  type SupervisionMode,
  type Supervisor,
  type SupervisorOutlet,
  Supervisors,
  TAKEN_OVER_AGENTS,
  type TakenOverAgent,
} from './supervision.ts';
export { inBatches, MOST_TARGETS, readTargets } from './target-list.ts';
export {
  LegEnded,
  LegReclaimed,
  LegWithdrawn,
  type TelephonyCallFilter,
  TelephonyCallStore,
} from './telephony-call-store.ts';
export { type TextLane, type TextRelay, textEngine } from './text-lane.ts';
export { type TransferOrder, Transfers } from './transfers.ts';
export { filled, MOST_FILLED, variablesOf } from './variables.ts';
export { VoicemailAnswering } from './voicemail-answering.ts';
export { VoicemailDrops } from './voicemail-drops.ts';
export { VoicemailIntake } from './voicemail-intake.ts';
export { voicemailSweep } from './voicemail-sweep.ts';
export { Voicemails, type VoicemailTranscriber } from './voicemails.ts';
