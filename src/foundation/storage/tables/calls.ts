import type { Environment } from '../../tenancy/index.ts';

/** A call row has no personal data of its own: its legs, sessions and detections do. */

export interface CallRow {
  /** The id is `ocl_…`; a call that is one agent session has the session's id. */
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  key_id: string | null;
  kind: 'browser' | 'telephony' | 'msgapp' | 'amd' | 'test';
  direction: 'inbound' | 'outbound';
  state: 'queued' | 'ringing' | 'answered' | 'ended';
  end_reason: string | null;
  node_id: string | null;
  /** The call was ended then because its node was lost; null again once the node took it back. */
  lost_at: number | null;
  created_at: number;
  answered_at: number | null;
  ended_at: number | null;
}

export interface CallCheckpointRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  call_id: string;
  token_hash: string;
  node_id: string;
  /** It grows each time that a node takes the session, so that writes of an earlier owner are refused. */
  fence: number;
  resume_by: number | null;
  state: string | null;
  written_at: number;
}

export interface CallsTables {
  calls: CallRow;
  call_checkpoints: CallCheckpointRow;
}
