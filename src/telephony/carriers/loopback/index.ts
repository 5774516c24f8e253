export { LoopbackCarrier, type LoopbackOptions, type TrialCall } from './loopback-carrier.ts';
export { readNetwork, Scenario, Step } from './scenario.ts';
export { ScenarioSounds, type SpeakText } from './scenario-sounds.ts';
