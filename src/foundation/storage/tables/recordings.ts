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
  created_at: number;
  updated_at: number;
}

export interface RecordingsTables {
  call_recordings: CallRecordingRow;
}
