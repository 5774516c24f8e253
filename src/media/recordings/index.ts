/** Recordings of calls: where the engine writes them, what is kept of them, who may have them, and for how long. */
export { recordingPersonalData } from './personal-data.ts';
export {
  type RecordedCalls,
  type RecordedSession,
  type RecordingFile,
  type RecordingFormat,
  Recordings,
} from './recordings.ts';
export { recordingSweep } from './retention.ts';
