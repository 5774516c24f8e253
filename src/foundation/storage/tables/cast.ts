import type { Environment } from '../../tenancy/index.ts';

interface TenantColumns {
  org_id: string;
  project_id: string;
  environment: Environment;
}

export interface CastProjectRow extends TenantColumns {
  id: string;
  title: string;
  language: string;
  speakers: string;
  pronunciations: string;
  warnings: string;
  external_id: string | null;
  lines: number;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface CastLineRow extends TenantColumns {
  cast_id: string;
  id: string;
  ordinal: number;
  speaker: string;
  text: string;
  voice: string | null;
  chapter: string | null;
  note: string | null;
  direction: string;
  directed_by: 'writer' | 'model' | 'rules' | null;
  seed: number;
}

export interface CastRenderRow extends TenantColumns {
  id: string;
  cast_id: string;
  key_id: string | null;
  status: 'queued' | 'rendering' | 'completed' | 'failed' | 'cancelled';
  request: string;
  plan: string | null;
  result: string | null;
  gain_db: number | null;
  progress: number;
  lines_total: number;
  lines_done: number;
  max_seconds: number;
  duration_ms: number | null;
  billed_ms: number | null;
  error: string | null;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  audio_removed_at: number | null;
}

/** The key covers everything that changes the audio. */
export interface CastTakeRow extends TenantColumns {
  cast_id: string;
  take: string;
  samples: number;
  billed: number;
  used_at: number;
}

export interface CastTables {
  cast_projects: CastProjectRow;
  cast_lines: CastLineRow;
  cast_renders: CastRenderRow;
  cast_takes: CastTakeRow;
}
