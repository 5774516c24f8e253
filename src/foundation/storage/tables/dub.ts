import type { Environment } from '../../tenancy/index.ts';

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
  request: string;
  /** It is null for an uploaded file. */
  audio_url: string | null;
  idempotency_key: string | null;
  external_id: string | null;
  max_bytes: number;
  max_seconds: number;
  media: string | null;
  speakers: string | null;
  duration_ms: number | null;
  progress: number;
  revision: number;
  output: string | null;
  error: string | null;
  error_code: string | null;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  audio_removed_at: number | null;
}

/** The rows are deleted once the segments exist. */
export interface DubStretchRow {
  job_id: string;
  sequence: number;
  end_ms: number;
  document: string;
}

export interface DubSegmentRow extends TenantColumns {
  job_id: string;
  number: number;
  speaker: string;
  start_ms: number;
  end_ms: number;
  text: string;
  text_edited: number;
  words: string;
  translation: string | null;
  /** The value is the translator's name, or `you`. */
  translated_by: string | null;
  voice: string | null;
  spoken: string | null;
}

export interface DubTables {
  dub_jobs: DubJobRow;
  dub_stretches: DubStretchRow;
  dub_segments: DubSegmentRow;
}
