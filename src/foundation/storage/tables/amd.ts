import type { Environment } from '../../tenancy/index.ts';

/** Rows of the tables that the amd module owns. */

export interface AmdSettingsRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  /** JSON. */
  settings: string;
  updated_at: number;
}

export interface AmdCallRow {
  id: string;
  /** The call that it is a part of; null in a row that a node of a version before has just written. */
  call_id: string | null;
  org_id: string;
  project_id: string;
  environment: Environment;
  key_id: string | null;
  stream_sid: string | null;
  call_sid: string | null;
  /** The number that was called, where the stream says it. */
  called: string | null;
  /** The customer's id of the callee. */
  external_id: string | null;
  answered_by: string;
  /** JSON: the verdict with its reasons. */
  verdict: string;
  /** JSON, or null. */
  message_end: string | null;
  updates: string | null;
  transcript: string | null;
  /** JSON: all that was noticed, which a verdict can be given from again. */
  evidence: string;
  tunables: string;
  /** Base64 of 16-bit words: how the greeting sounds. */
  fingerprint: string | null;
  heard_ms: number;
  /** A person's correction of the result. */
  corrected_to: string | null;
  corrected_at: number | null;
  /** When what was said was removed, its retention over. */
  words_removed_at: number | null;
  created_at: number;
}

export interface AmdTables {
  amd_settings: AmdSettingsRow;
  amd_calls: AmdCallRow;
}
