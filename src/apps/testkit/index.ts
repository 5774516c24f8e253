/** Suites in YAML: callers who are played, and what is expected of the agent who answers. */
export { Api, type CallRecord, type OfferedTool } from './api.ts';
export { type SuiteOfCall, suiteOf, yamlOf } from './from-call.ts';
export { BusyError, type HostedOptions, type HostedOrder, HostedRuns } from './hosted.ts';
export { HOSTED_LIMITS } from './hosted-suite.ts';
export { judge, type Verdict } from './judge.ts';
export { type AgentPlace, LeftAgents } from './left-agents.ts';
export { type Likeness, likenessBy, MEANINGS } from './likeness.ts';
export { Persona } from './persona.ts';
export { PlayedModels } from './played-model.ts';
export { type DecodeRecording, heldAgain, type RecordedCall, recordedCall } from './recorded-call.ts';
export { RecordedCaller } from './recorded-caller.ts';
export { type Difference, differences, faultsOf, html, junit, type Kept, kept } from './report.ts';
export { type LoadedSuite, passPowers, runSuites, type ScenarioResult } from './run.ts';
export { recording, stereoWav } from './sounds.ts';
export { readSuite, type Suite, SuiteError } from './suite.ts';
export { type Turn, turnDifferences, turnsOf } from './turns.ts';
export { channelsOf, readWav, type Sound } from './wav.ts';
