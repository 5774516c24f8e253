import type { Environment } from '../../tenancy/index.ts';

/** A finished job's row is deleted; the module that enqueued it stores the outcome. */
export interface JobRow {
  id: string;
  queue: string;
  tenant: string;
  priority: number;
  state: 'waiting' | 'running' | 'dead';
  payload: string;
  attempts: number;
  max_attempts: number;
  losses: number;
  run_at: number;
  /** It starts at random and grows with every claim, so that writes of an earlier holder are refused. */
  fence: number;
  worker: string | null;
  lease_until: number | null;
  cancel_requested: number;
  progress: number;
  last_error: string | null;
  created_at: number;
}

export interface TranscriptionJobRow {
  id: string;
  org_id: string;
  project_id: string;
  key_id: string | null;
  environment: Environment;
  status: 'queued' | 'processing' | 'completed' | 'failed';
  request: string;
  audio_url: string | null;
  webhook_url: string | null;
  idempotency_key: string | null;
  external_id: string | null;
  max_bytes: number;
  max_seconds: number;
  /** The language is detected once and kept for the rest of the audio; no route shows it. */
  language: string | null;
  duration_ms: number | null;
  progress: number;
  /** Null means that no PII scan was requested. */
  pii_count: number | null;
  error: string | null;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  audio_removed_at: number | null;
}

export interface TranscriptionSegmentRow {
  job_id: string;
  channel: number;
  sequence: number;
  start_ms: number;
  end_ms: number;
  document: string;
}

export interface TranscriptionResultRow {
  job_id: string;
  document: string;
}

export interface IdempotentAnswerRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  route: string;
  key: string;
  body_hash: string;
  answer: string;
  expires_at: number;
}

export interface JobsTables {
  jobs: JobRow;
  transcription_jobs: TranscriptionJobRow;
  transcription_segments: TranscriptionSegmentRow;
  transcription_results: TranscriptionResultRow;
  idempotent_answers: IdempotentAnswerRow;
}
