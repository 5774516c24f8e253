import type { Environment } from '../../tenancy/index.ts';

export interface AmdSettingsRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  settings: string;
  updated_at: number;
}

export interface AmdCallRow {
  id: string;
  /** It is null only in a row that a node of an earlier version has just written. */
  call_id: string | null;
  org_id: string;
  project_id: string;
  environment: Environment;
  key_id: string | null;
  stream_sid: string | null;
  call_sid: string | null;
  called: string | null;
  external_id: string | null;
  answered_by: string;
  verdict: string;
  message_end: string | null;
  updates: string | null;
  transcript: string | null;
  /** The column is JSON with all evidence, from which a verdict can be computed again. */
  evidence: string;
  tunables: string;
  /** The column is an acoustic fingerprint of the greeting: base64 of 16-bit words. */
  fingerprint: string | null;
  heard_ms: number;
  corrected_to: string | null;
  corrected_at: number | null;
  words_removed_at: number | null;
  created_at: number;
}

export interface AmdTables {
  amd_settings: AmdSettingsRow;
  amd_calls: AmdCallRow;
}
