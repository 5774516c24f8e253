import type { Environment } from '../../tenancy/index.ts';

/** Rows of the tables that the recordings module owns. */

export interface CallRecordingRow {
  /** The call's. */
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  external_id: string | null;
  /** `waiting` for the caller to have heard that the call is recorded, then `recording` until its file is kept. */
  status: 'waiting' | 'recording' | 'success' | 'skipped' | 'failed' | 'removed';
  reason: string;
  format: 'wav' | 'flac' | 'opus' | null;
  bytes: number | null;
  /** Where the recording begins, by the clock of the transcript. */
  starts_at_ms: number | null;
  duration_ms: number | null;
  /** Stretches that a tone stands for. */
  redacted_spans: number;
  created_at: number;
  updated_at: number;
}

export interface RecordingsTables {
  call_recordings: CallRecordingRow;
}
