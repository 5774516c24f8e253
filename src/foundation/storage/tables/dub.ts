import type { Environment } from '../../tenancy/index.ts';

/** Rows of the tables that the dub module owns. */

interface TenantColumns {
  org_id: string;
  project_id: string;
  environment: Environment;
}

export interface DubJobRow extends TenantColumns {
  id: string;
  key_id: string | null;
  status: 'queued' | 'transcribing' | 'translating' | 'synthesizing' | 'done' | 'error';
  source: string;
  target: string;
  /** The request as JSON. */
  request: string;
  /** It is null for an uploaded file. */
  audio_url: string | null;
  idempotency_key: string | null;
  /** The customer's id of the data subject. */
  external_id: string | null;
  /** Bounds of the plan at submission. */
  max_bytes: number;
  max_seconds: number;
  /** JSON: what the file is; null until it was looked at. */
  media: string | null;
  /** JSON: the voice of each speaker; null until they are known. */
  speakers: string | null;
  duration_ms: number | null;
  /** Thousandths. */
  progress: number;
  /** How often it was rendered; the output carries it in its name. */
  revision: number;
  /** JSON: what can be downloaded; null: nothing yet. */
  output: string | null;
  error: string | null;
  error_code: string | null;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  audio_removed_at: number | null;
}

/** One transcribed stretch of the recording. The rows are deleted once the segments exist. */
export interface DubStretchRow {
  job_id: string;
  sequence: number;
  /** The recording is processed up to here. */
  end_ms: number;
  /** JSON: text, words, voices. */
  document: string;
}

export interface DubSegmentRow extends TenantColumns {
  job_id: string;
  number: number;
  speaker: string;
  start_ms: number;
  end_ms: number;
  text: string;
  /** 1: a person wrote it, so that it is not what is heard there. */
  text_edited: number;
  /** JSON: words with their times. */
  words: string;
  translation: string | null;
  /** The translator, or `you`. */
  translated_by: string | null;
  /** A voice that was chosen for it; null: its speaker's. */
  voice: string | null;
  /** JSON: how it is spoken; null: not yet, or no longer. */
  spoken: string | null;
}

export interface DubTables {
  dub_jobs: DubJobRow;
  dub_stretches: DubStretchRow;
  dub_segments: DubSegmentRow;
}
