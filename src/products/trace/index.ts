export { type AgentShareView, agentIdsOf, agentSharesOf, shareAt } from './agent-shares.ts';
export * from './contract.ts';
export {
  conversationIn,
  conversationOf,
  documentOf,
  type RawConversation,
  type RawUtterance,
} from './conversation.ts';
export {
  EndedCallJobs,
  type EndedCallJobsOptions,
  type EndedSource,
  type JobAttempt,
} from './ended-call-jobs.ts';
export { startsOfRule } from './evidence.ts';
export { ContactPermissions, suppress } from './gate/contact-permissions.ts';
export { type GateAnswer, PreDialCheck } from './gate/pre-dial-check.ts';
export { canonicalNumber, zonesOf } from './gate/zones.ts';
export {
  conversationInWorker,
  type ReadPack,
  readPackInWorker,
  redactInWorker,
  tryExamplesInWorker,
} from './in-worker.ts';
export { type InteractionFilter, Interactions, type Judgment } from './interactions.ts';
export { type AppliedPack, judge, judgeRule, wantedOf } from './judge.ts';
export { JudgementInputCollector, type JudgementInputSources } from './judgement-input-collector.ts';
export type { Embed, JudgementInputs, Pronounce } from './judgement-inputs.ts';
export { judging } from './judging.ts';
export {
  guardOf,
  type LiveGuard,
  LiveGuards,
  type LiveNeeds,
  type LiveRuling,
  type NamedRule,
} from './live.ts';
export { compilePhrase, findPhrase } from './match/phrase.ts';
export { builtinPacks } from './packs/builtin.ts';
export { canonical, checkPack, PackError, readPack, tagOf } from './packs/reading.ts';
export { type Rule, RulePack } from './packs/schema.ts';
export { type ChosenPack, noSuchPack, Packs, type PackView } from './packs/store.ts';
export { type Trial, tryExamples } from './packs/trial.ts';
export { tracePersonalData } from './personal-data.ts';
export { redactedTranscript, redactionBy } from './records.ts';
export { DIMENSIONS, type Dimension, type ExposureRow, type ResultFilter, Results } from './results.ts';
export { interactionSweep } from './retention.ts';
export { AT_FIRST, type GateSettings, type TraceSettings, TraceSettingsStore } from './settings.ts';
export { callConversation, jobConversation, type Roles } from './sources.ts';
export { VerdictSigner } from './verdict-signer.ts';
export {
  type InteractionView,
  interactionView,
  type ResultView,
  resultView,
  type WholeInteraction,
} from './views.ts';
