/** Telephone calls and numbers of the product, over whatever carrier. */

export type { AgentOutcome } from './agent-part.ts';
export { AgentPlan, type AgentPlanDeps, type SpeakLine } from './agent-plan.ts';
export { type AgentRoomDeps, agentFor } from './agent-room.ts';
export { Answering } from './answering.ts';
export { ApprovedNumbers } from './approved-numbers.ts';
export { type CallCost, CallCosts } from './call-costs.ts';
export { CallDesk, type CallInput, type DialGate } from './call-desk.ts';
export { type CallFilter, CallRecords } from './call-records.ts';
export type { TapeRecorder } from './call-tape.ts';
export { callView, campaignView, numberView, voicemailView } from './call-view.ts';
export { type CampaignPlan, isOpen, isZone, Pacing, Retries, Windows } from './campaign-plan.ts';
export { CampaignRunner } from './campaign-runner.ts';
export {
  CampaignTargets,
  TARGET_STATES,
  type TargetFilter,
  targetEnd,
  targetView,
} from './campaign-targets.ts';
export { Campaigns } from './campaigns.ts';
export { CALL_STATES, type CallRequest, checkMessage, PAUSED_REASONS } from './contract.ts';
export { DialObstacles } from './dial-obstacles.ts';
export { type GuardLimits, Guards } from './guards.ts';
export { Line } from './line.ts';
export { LivePhones } from './live-phones.ts';
export { SILENCE } from './loudness.ts';
export { Amd, NumberSettings, NumberSettingsChange } from './number-settings.ts';
export { type NumberCases, type NumberChange, NumberDesk } from './numbers.ts';
export { phonesOfPersons } from './personal.ts';
export { PhoneCall } from './phone-call.ts';
export { reserving } from './reservation.ts';
export { routeAsking } from './route-url.ts';
export { SpokenMessages } from './spoken-messages.ts';
export {
  SUPERVISIONS,
  type SupervisionMode,
  type Supervisor,
  type SupervisorOutlet,
  Supervisors,
} from './supervision.ts';
export { inBatches, MOST_TARGETS, readTargets } from './target-list.ts';
export { type TransferOrder, Transfers } from './transfers.ts';
export { VoicemailDrops } from './voicemail-drops.ts';
export { voicemailSweep } from './voicemail-sweep.ts';
export { type MessageHearing, Voicemails } from './voicemails.ts';
