import type { Environment } from '../../tenancy/index.ts';

export interface CallRecordingRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  external_id: string | null;
  /** It is `waiting` until the caller has heard the announcement, then `recording` until the file is stored. */
  status: 'waiting' | 'recording' | 'success' | 'skipped' | 'failed' | 'removed';
  reason: string;
  format: 'wav' | 'flac' | 'opus' | null;
  bytes: number | null;
  starts_at_ms: number | null;
  duration_ms: number | null;
  redacted_spans: number;
  is_paused: number;
  created_at: number;
  updated_at: number;
}

/** One node's part of a recording. */
export interface CallRecordingSegmentRow {
  recording_id: string;
  /** It is 0 for the first, and the fencing token of its session for one of a resumed call. */
  number: number;
  node_id: string;
  /** It is null until the first sample. */
  starts_at_ms: number | null;
  /** The segment has ended, and all of it is in the object store. */
  is_stored: number;
}

export interface RecordingsTables {
  call_recording_segments: CallRecordingSegmentRow;
  call_recordings: CallRecordingRow;
}
