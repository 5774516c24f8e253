/** Trace: rules over conversations, verdicts that are evidence, and the gate before a call. */
export { conversationApart, packApart, type ReadPack, redactApart, trialsApart } from './apart.ts';
export * from './contract.ts';
export {
  conversationIn,
  conversationOf,
  documentOf,
  type RawConversation,
  type RawUtterance,
} from './conversation.ts';
export { startsOfRule } from './evidence.ts';
export { type Ended, Following, type FollowingOptions, type Try } from './following.ts';
export { Gate, type GateAnswer } from './gate/gate.ts';
export { Permissions, suppress } from './gate/suppressions.ts';
export { canonicalNumber, zonesOf } from './gate/zones.ts';
export { type InteractionFilter, Interactions, type Judgment } from './interactions.ts';
export { type AppliedPack, judge, judgeRule, wantedOf } from './judge.ts';
export { judging } from './judging.ts';
export { SenseRoom, type SenseSources } from './learn-senses.ts';
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
export { interactionsOfPersons } from './personal.ts';
export { keptBy, redactedTranscript } from './records.ts';
export { DIMENSIONS, type Dimension, type ExposureRow, type ResultFilter, Results } from './results.ts';
export { interactionSweep } from './retention.ts';
export type { Embed, Pronounce, Senses } from './senses.ts';
export { AT_FIRST, type GateSettings, SettingsStore, type TraceSettings } from './settings.ts';
export { Signer } from './signature.ts';
export { callConversation, jobConversation, type Roles } from './sources.ts';
export {
  type InteractionView,
  interactionView,
  type ResultView,
  resultView,
  type WholeInteraction,
} from './views.ts';
