import type { Migration } from '../migrate.ts';
import { access } from './0010-access.ts';
import { retention } from './0011-retention.ts';
import { people } from './0012-people.ts';
import { audit } from './0013-audit.ts';
import { privacy } from './0014-privacy.ts';
import { storageQuotas } from './0015-storage-quotas.ts';
import { verifiedAddresses } from './0016-verified-addresses.ts';
import { billing } from './0020-billing.ts';
import { holds } from './0021-holds.ts';
import { messagePrices } from './0022-message-prices.ts';
import { hear } from './0030-hear.ts';
import { speak } from './0040-speak.ts';
import { speakPreviews } from './0041-speak-previews.ts';
import { jobs } from './0050-jobs.ts';
import { transcriptionJobs } from './0051-transcription-jobs.ts';
import { lostWorkers } from './0052-lost-workers.ts';
import { turnsByWorker } from './0053-turns-by-worker.ts';
import { namesByBytes } from './0054-names-by-bytes.ts';
import { webhooks } from './0060-webhooks.ts';
import { destinations } from './0061-destinations.ts';
import { callIntegrations } from './0062-call-integrations.ts';
import { installations } from './0063-installations.ts';
import { messages } from './0064-messages.ts';
import { messageHandOvers } from './0065-message-hand-overs.ts';
import { omniCalls } from './0070-omni-calls.ts';
import { omniTranscripts } from './0071-omni-transcripts.ts';
import { amd } from './0080-amd.ts';
import { knowledge } from './0110-knowledge.ts';
import { knowledgeWords } from './0111-knowledge-words.ts';
import { agents } from './0120-agents.ts';
import { agentTests } from './0121-agent-tests.ts';
import { trace } from './0130-trace.ts';
import { recap } from './0140-recap.ts';
import { telephony } from './0150-telephony.ts';
import { cast } from './0160-cast.ts';
import { msgapp } from './0165-msgapp.ts';
import { dub } from './0170-dub.ts';
import { compliance } from './0180-compliance.ts';
import { tenantColumns } from './0190-tenant-columns.ts';
import { dataSubjects } from './0191-data-subjects.ts';
import { amdDataSubjects } from './0192-amd-data-subjects.ts';
import { ownership } from './0193-ownership.ts';
import { sessionKeys } from './0200-session-keys.ts';
import { msgappSeen } from './0210-msgapp-seen.ts';
import { msgappReplies } from './0211-msgapp-replies.ts';
import { recordings } from './0220-recordings.ts';
import { provenance } from './0230-provenance.ts';
import { knowledgeSounds } from './0231-knowledge-sounds.ts';
import { afterCalls } from './0232-after-calls.ts';
import { callWords } from './0233-call-words.ts';
import { voicemails } from './0234-voicemails.ts';
import { messageAnswers } from './0236-message-answers.ts';
import { importedCallsByJob } from './0237-imported-calls-by-job.ts';
import { callTools } from './0238-call-tools.ts';
import { telephonyTalks } from './0241-telephony-talks.ts';
import { mailRecipients } from './0250-mail-recipients.ts';
import { transferredCalls } from './0252-transferred-calls.ts';
import { waitingCampaigns } from './0253-waiting-campaigns.ts';
import { provenNumbers } from './0254-proven-numbers.ts';
import { knowledgeGenerations } from './0260-knowledge-generations.ts';
import { closing } from './0270-closing.ts';
import { creditLow } from './0274-credit-low.ts';
import { traceWithheld } from './0275-trace-withheld.ts';
import { offloadedTranscripts } from './0281-offloaded-transcripts.ts';
import { caseNumbers } from './0282-case-numbers.ts';
import { voicemailDrops } from './0283-voicemail-drops.ts';
import { nodes } from './0290-nodes.ts';
import { realtimeSessions } from './0291-realtime-sessions.ts';
import { creators } from './0292-creators.ts';
import { usageProjects } from './0293-usage-projects.ts';
import { consoleCalls } from './0294-console-calls.ts';
import { calls } from './0300-calls.ts';
import { vectorModels } from './0301-vector-models.ts';
import { grants } from './0310-grants.ts';
import { callCheckpoints } from './0311-call-checkpoints.ts';
import { providerCosts } from './0320-provider-costs.ts';
import { nodeUrls } from './0321-node-urls.ts';
import { nodeLoad } from './0330-node-load.ts';
import { sipTelephones } from './0331-sip-telephones.ts';
import { traceAgents } from './0340-trace-agents.ts';
import { providerKeys } from './0341-provider-keys.ts';
import { pronunciations } from './0342-pronunciations.ts';
import { recordingSegments } from './0343-recording-segments.ts';

/**
 * Every migration stands in the order of its number. The ranges are storage 1-9, access 10-19, billing 20-29, hear
 * 30-39, speak 40-49, jobs 50-59, webhooks 60-69, omni 70-79, amd 80-89, knowledge 110-119, agents 120-129, trace
 * 130-139, recap 140-149, telephony 150-159, cast 160-164, msgapp 165-169, dub 170-179, compliance 180-189, changes
 * over several modules 190-199, provenance 230-239, mail 250-259. Migrations only go forward: a released one is never
 * edited.
 */
export const MIGRATIONS: readonly Migration[] = [
  access,
  retention,
  people,
  audit,
  privacy,
  storageQuotas,
  verifiedAddresses,
  billing,
  holds,
  messagePrices,
  hear,
  speak,
  speakPreviews,
  jobs,
  transcriptionJobs,
  lostWorkers,
  turnsByWorker,
  namesByBytes,
  webhooks,
  destinations,
  callIntegrations,
  installations,
  messages,
  messageHandOvers,
  omniCalls,
  omniTranscripts,
  amd,
  knowledge,
  knowledgeWords,
  agents,
  agentTests,
  trace,
  recap,
  telephony,
  cast,
  msgapp,
  dub,
  compliance,
  tenantColumns,
  dataSubjects,
  amdDataSubjects,
  ownership,
  sessionKeys,
  msgappSeen,
  msgappReplies,
  recordings,
  provenance,
  knowledgeSounds,
  afterCalls,
  callWords,
  voicemails,
  messageAnswers,
  importedCallsByJob,
  callTools,
  telephonyTalks,
  mailRecipients,
  transferredCalls,
  waitingCampaigns,
  provenNumbers,
  knowledgeGenerations,
  closing,
  creditLow,
  traceWithheld,
  offloadedTranscripts,
  caseNumbers,
  voicemailDrops,
  nodes,
  realtimeSessions,
  creators,
  usageProjects,
  consoleCalls,
  calls,
  vectorModels,
  grants,
  callCheckpoints,
  providerCosts,
  nodeUrls,
  nodeLoad,
  sipTelephones,
  traceAgents,
  providerKeys,
  pronunciations,
  recordingSegments,
];
