/** Suites in YAML: callers who are played, and what is expected of the agent who answers. */
export { Api, type CallRecord } from './api.ts';
export { suiteOf, yamlOf } from './from-call.ts';
export { BusyError, type HostedOrder, HostedRuns } from './hosted.ts';
export { HOSTED_LIMITS } from './hosted-suite.ts';
export { judge, type Likeness, type Verdict } from './judge.ts';
export { Persona } from './persona.ts';
export { PlayedModels } from './played-model.ts';
export { type Difference, differences, faultsOf, html, junit, type Kept, kept } from './report.ts';
export { type LoadedSuite, passPowers, runSuites, type ScenarioResult } from './run.ts';
export { recording, stereoWav } from './sounds.ts';
export { readSuite, type Suite, SuiteError } from './suite.ts';
