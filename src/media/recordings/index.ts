export { recordingPersonalData } from './personal-data.ts';
export {
  type PartsOptions,
  type RecordedCalls,
  type RecordedSession,
  type RecordingFile,
  type RecordingFormat,
  Recordings,
} from './recordings.ts';
export { recordingSweep } from './retention.ts';
