import type { Environment } from '../../tenancy/index.ts';

export interface OmniCallRow {
  id: string;
  /** It is null only in a row that a node of an earlier version has just written. */
  call_id: string | null;
  org_id: string;
  project_id: string;
  key_id: string | null;
  environment: Environment;
  /** The metering row of the call; null in older rows, which are `omni.call`. */
  use: 'omni.call' | 'agents.call' | null;
  /** A `live` row whose node lost its lease becomes `failed`. */
  status: 'live' | 'completed' | 'failed';
  /** Nodes of earlier versions judge by it whether the call is live. */
  seen_at: number;
  /** The call was ended then because its node was lost; null again once the node took it back. */
  lost_at: number | null;
  started_at: number;
  created_at: number;
  session_label: string | null;
  external_id: string | null;
  language: string;
  voice_id: string;
  voice_tier: 'standard' | 'natural';
  duration_ms: number;
  end_reason: string | null;
  error: string | null;
  transcript: string | null;
  transcript_bytes: number | null;
  /** The transcript moved to the blob store then; null where it did not, or was removed. */
  transcript_offloaded_at: number | null;
  /** The column holds the transcript's normalized words for search; it is removed with the transcript. */
  said: string | null;
  transcript_removed_at: number | null;
  /** The column is JSON with the latency of each turn, and the session's action where it gave no answer. */
  turns: string | null;
  /** The column is JSON of the tool calls with their results; it is removed with the transcript. */
  tools: string | null;
  /** The column is JSON of speech that a rule of Trace withheld; it is removed with the transcript. */
  withheld: string | null;
  meta: string | null;
  agent_id: string | null;
  agent_version: number | null;
  summary: string | null;
  summary_status: 'success' | 'skipped' | 'failed' | 'not_requested' | null;
  outcome: string | null;
  extraction: string | null;
  extraction_status: 'success' | 'partial' | 'empty' | 'skipped' | 'failed' | 'not_requested' | null;
}

export interface OmniTables {
  omni_calls: OmniCallRow;
}
