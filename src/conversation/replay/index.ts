export { type Difference, differencesOf, type RecordedEntry, seconds } from './compare.ts';
export { InputRecorder } from './input-recorder.ts';
export { maskTrace } from './mask.ts';
export { type ReplayedSession, replaySession } from './replay.ts';
export { timelineOf } from './timeline.ts';
export type { SessionTrace } from './trace.ts';
