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

export interface CallsTables {
  calls: CallRow;
}
