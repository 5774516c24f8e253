export { type CheckResult, checkCall } from './check-call.ts';
export { coverageOf, type FlowCoverage } from './flow-coverage.ts';
export { BusyError, type HostedOptions, type HostedOrder, HostedRuns } from './hosted.ts';
export { HOSTED_LIMITS } from './hosted-suite.ts';
export { type AgentPlace, OrphanedAgents } from './orphaned-agents.ts';
export { Persona } from './persona.ts';
export { type DecodeRecording, heldAgain, type RecordedCall, recordedCall } from './recorded-call.ts';
export { RecordedCaller } from './recorded-caller.ts';
export {
  type BaselineDifference,
  type BaselineScenario,
  baselineDifferences,
  baselineOf,
  faultsOf,
  html,
  junit,
} from './report.ts';
export { type LoadedSuite, passPowers, runSuites, type ScenarioResult } from './run-suites.ts';
export { ScriptedModels } from './scripted-models.ts';
export { type CallRecord, type OfferedTool, ServerApi } from './server-api.ts';
export { readRecording, stereoWav } from './sounds.ts';
export { readSuite, type Suite, SuiteError } from './suite.ts';
export { type SuiteOfCall, suiteOf, yamlOf } from './suite-from-call.ts';
export { EMBEDDING_MODEL, embeddingSimilarity, type TextSimilarity } from './text-similarity.ts';
export { type Turn, turnDifferences, turnsOf } from './turns.ts';
export { channelsOf, readWav, type WavAudio } from './wav.ts';
