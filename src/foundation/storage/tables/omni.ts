import type { Environment } from '../../tenancy/index.ts';

/** Rows of the tables that the omni module owns. */

export interface OmniCallRow {
  id: string;
  /** The call that it is a part of; null in a row that a node of a version before has just written. */
  call_id: string | null;
  org_id: string;
  project_id: string;
  key_id: string | null;
  environment: Environment;
  /** The row of the metering table that it is billed by; null in rows from before: `omni.call`. */
  use: 'omni.call' | 'agents.call' | null;
  /** `live` until it is written; a live row whose node stopped saying so is written as failed. */
  status: 'live' | 'completed' | 'failed';
  /** For nodes of a version before, which judge by it whether the call lives. */
  seen_at: number;
  /** The call was ended then because its node was lost; null again once its node took it back. */
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
  /** JSON: what was said and heard; null as well while it lies in the blob store. */
  transcript: string | null;
  /** The size of `transcript` when it was written; null in rows from before it was counted. */
  transcript_bytes: number | null;
  /** The transcript moved to the blob store then; null where it did not, or was removed. */
  transcript_offloaded_at: number | null;
  /** The transcript's words, folded, to be looked for; it goes with the transcript. */
  said: string | null;
  /** Set once its time was over; there is no transcript from then on. */
  transcript_removed_at: number | null;
  /** JSON: latency of each turn, and what the session did instead of an answer. */
  turns: string | null;
  /** JSON: the tools that were called, with what they gave back; it goes with the transcript. */
  tools: string | null;
  /** JSON: what the agent was about to say when a rule of Trace held it back; it goes with the transcript. */
  withheld: string | null;
  /** JSON: `configure.meta`. */
  meta: string | null;
  /** The profile and its version that served the call. */
  agent_id: string | null;
  agent_version: number | null;
  /** JSON: what was said, in short; null while it is made, where there is none and when its time was over. */
  summary: string | null;
  /** It is null until post-call processing has looked at the call. */
  summary_status: 'success' | 'skipped' | 'failed' | 'not_requested' | null;
  outcome: string | null;
  /** JSON: what the agent's schema asks for. */
  extraction: string | null;
  extraction_status: 'success' | 'partial' | 'empty' | 'skipped' | 'failed' | 'not_requested' | null;
}

export interface OmniTables {
  omni_calls: OmniCallRow;
}
