import type { Environment } from '../../tenancy/index.ts';

/** Rows of calls. A call holds no personal data of its own: its legs, sessions and detections do. */

export interface CallRow {
  /** `ocl_…`; a call that is one session of an agent has the session's id. */
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  key_id: string | null;
  kind: 'browser' | 'telephony' | 'msgapp' | 'amd' | 'test';
  direction: 'inbound' | 'outbound';
  state: 'queued' | 'ringing' | 'answered' | 'ended';
  end_reason: string | null;
  /** The node that owns the call; null while nobody has dialed it. */
  node_id: string | null;
  /** The call was ended then because its node was lost; null again once its node took it back. */
  lost_at: number | null;
  /** The row was made then; it never changes. */
  created_at: number;
  answered_at: number | null;
  ended_at: number | null;
}

/** The state of a live session; the row goes when the session ends. */
export interface CallCheckpointRow {
  /** The session's. */
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  call_id: string;
  /** SHA-256 of the token that goes on with the call. */
  token_hash: string;
  /** The node that has the session, or had it last. */
  node_id: string;
  /** Grows each time that a node takes the session: an older owner writes nothing any more. */
  fence: number;
  /** The caller is cut off, and may come back until then; null while the call goes on. */
  resume_by: number | null;
  /** Sealed JSON; null until it was first written. */
  state: string | null;
  written_at: number;
}

export interface CallsTables {
  calls: CallRow;
  call_checkpoints: CallCheckpointRow;
}
