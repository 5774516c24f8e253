/** Recap: what became of a call that is over. */
export { RecapCalls, type RecapCallsOptions, type RecapView, type Teller, viewOf } from './calls.ts';
export * from './contract.ts';
export { type Criterion, type CriterionJudge, METRICS } from './criteria.ts';
export { extract, extractApart } from './extractive.ts';
export { factsOf } from './facts.ts';
export { recording } from './following.ts';
export { judgeByModel } from './judge-by-model.ts';
export { summarizeByModel } from './model.ts';
export { recapPersonalData } from './personal-data.ts';
export { QuoteFinder } from './quotes.ts';
export { languageOf, linesOf } from './reading.ts';
export { recapSweep } from './retention.ts';
export { type Score, Scorecards } from './scorecards.ts';
export { RecapSettingsStore } from './settings.ts';
