import type { Environment } from '../../access/contract.ts';

/** Rows of the tables that the omni room owns. */

export interface OmniCallRow {
  id: string;
  org_id: string;
  project_id: string;
  key_id: string | null;
  environment: Environment;
  /** `live` until it is written; a live row whose node stopped saying so is written as failed. */
  status: 'live' | 'completed' | 'failed';
  seen_at: number;
  started_at: number;
  /** When the record was written; the call's start until then. */
  created_at: number;
  session_label: string | null;
  external_id: string | null;
  language: string;
  voice_id: string;
  voice_tier: 'standard' | 'natural';
  duration_ms: number;
  end_reason: string | null;
  error: string | null;
  /** JSON: what was said and heard. */
  transcript: string | null;
  /** Set once its time was over; `transcript` is null from then on. */
  transcript_removed_at: number | null;
  /** JSON: latency of each turn, and what the session did instead of an answer. */
  turns: string | null;
  /** JSON: `configure.meta`. */
  meta: string | null;
  /** The profile and its version that served the call. */
  agent_id: string | null;
  agent_version: number | null;
}

export interface OmniTables {
  omni_calls: OmniCallRow;
}
