import type { Environment } from '../../tenancy/index.ts';

/** Work that waits, runs or has died. A finished job is deleted; the module that asked for it keeps the outcome. */
export interface JobRow {
  id: string;
  queue: string;
  tenant: string;
  /** Smaller goes first. */
  priority: number;
  state: 'waiting' | 'running' | 'dead';
  payload: string;
  /** Tries since the last checkpoint: those that failed, and the one under way. */
  attempts: number;
  max_attempts: number;
  /** Workers that vanished with the job in their hands since the last checkpoint. */
  losses: number;
  run_at: number;
  /** Begins anywhere and grows with every claim: what an earlier holder still writes is refused by it. */
  fence: number;
  worker: string | null;
  lease_until: number | null;
  cancel_requested: number;
  /** Thousandths. */
  progress: number;
  last_error: string | null;
  created_at: number;
}

/** A transcription job as the customer knows it. */
export interface TranscriptionJobRow {
  id: string;
  org_id: string;
  project_id: string;
  key_id: string | null;
  environment: Environment;
  status: 'queued' | 'processing' | 'completed' | 'failed';
  /** The request as JSON. */
  request: string;
  /** It is null for uploaded audio. */
  audio_url: string | null;
  webhook_url: string | null;
  idempotency_key: string | null;
  /** The customer's id of the data subject. */
  external_id: string | null;
  /** Bounds of the plan at submission. */
  max_bytes: number;
  max_seconds: number;
  /** Found in the audio and kept for the rest of it; never shown. */
  language: string | null;
  duration_ms: number | null;
  /** Thousandths. */
  progress: number;
  /** Findings of the PII scan so far; null: not asked for. */
  pii_count: number | null;
  error: string | null;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  audio_removed_at: number | null;
}

/** One transcribed stretch of one channel. The rows are deleted when the job ends. */
export interface TranscriptionSegmentRow {
  job_id: string;
  channel: number;
  sequence: number;
  start_ms: number;
  end_ms: number;
  /** JSON: text, words, voices. */
  document: string;
}

export interface TranscriptionResultRow {
  job_id: string;
  /** JSON: text, words, segments. */
  document: string;
}

/** The answer that a repeated request gets. */
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

/** Rows of the tables that the jobs module owns. */
export interface JobsTables {
  jobs: JobRow;
  transcription_jobs: TranscriptionJobRow;
  transcription_segments: TranscriptionSegmentRow;
  transcription_results: TranscriptionResultRow;
  idempotent_answers: IdempotentAnswerRow;
}
