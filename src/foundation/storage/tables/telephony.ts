import type { Environment } from '../../tenancy/index.ts';

/** Rows of the tables that the telephony module owns. */

interface Owned {
  org_id: string;
  project_id: string;
  environment: Environment;
  /** The key that made it, for the audit: what acts later acts for the project. Calls that a key asked for count as its use. Null: no key. */
  key_id: string | null;
}

export interface TelephonyNumberRow extends Owned {
  id: string;
  carrier: string;
  /** E.164 */
  phone_number: string;
  /** The number while nobody else may have it: in use, or in quarantine; null afterwards. Unique with the carrier. */
  claimed: string | null;
  /** The carrier's own id of it. */
  reference: string;
  country: string;
  number_type: string;
  /** JSON list. */
  capabilities: string;
  agent_id: string | null;
  /** `pending_compliance`: it is kept, and ordered once a compliance case that names it was approved. */
  status: 'active' | 'pending_compliance' | 'released';
  /** JSON. */
  settings: string;
  created_at: number;
  released_at: number | null;
  quarantined_until: number | null;
}

export interface TelephonyCallRow extends Owned {
  id: string;
  /** The call that it is a part of; null in a row that a node of a version before has just written. */
  call_id: string | null;
  carrier: string;
  direction: 'inbound' | 'outbound';
  from_number: string;
  to_number: string;
  number_id: string | null;
  agent_id: string | null;
  campaign_id: string | null;
  /** `queued` until it is dialed, which is told once and before anything rings. */
  state: 'queued' | 'ringing' | 'answered' | 'ended';
  end_reason: string | null;
  /** A description of the failure, for people. */
  end_detail: string | null;
  /** JSON: variables, amd, message, max_duration_s, webhook_url. */
  request: string;
  answered_by: string | null;
  omni_call_id: string | null;
  /** The carrier's own id. */
  reference: string | null;
  scheduled_at: number | null;
  dialed_at: number | null;
  /** The carrier was last requested to transfer the call then. */
  transferred_at: number | null;
  /** For nodes of a version before, which judge by it whether the call lives. */
  seen_at: number;
  /** The call was ended then because its node was lost; null again once its node took it back. */
  lost_at: number | null;
  created_at: number;
  answered_at: number | null;
  ended_at: number | null;
  duration_ms: number;
  billed_minutes: number;
  /** JSON. */
  quality: string;
  /** The size of a voicemail's recording; null where none is stored. */
  recording_bytes: number | null;
}

export interface TelephonyCampaignRow extends Owned {
  id: string;
  name: string;
  from_number: string;
  agent_id: string;
  state: 'draft' | 'running' | 'paused' | 'done';
  /** Why it stopped by itself; null: it was asked to, or did not stop. */
  paused_reason: string | null;
  /** JSON: windows, pacing, retries, amd, message. */
  plan: string;
  /** The code of what keeps a running campaign from dialing now. */
  waiting_for: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

export interface TelephonyTargetRow extends Owned {
  id: string;
  campaign_id: string;
  position: number;
  to_number: string;
  /** JSON. */
  variables: string;
  state: 'waiting' | 'calling' | 'done';
  attempts: number;
  next_at: number;
  /** How the last attempt ended, or why none was made. */
  outcome: string | null;
  call_id: string | null;
}

export interface TelephonyVoicemailRow extends Owned {
  id: string;
  number_id: string | null;
  call_id: string;
  from_number: string;
  to_number: string;
  /** The transcription job; null: there is none. */
  job_id: string | null;
  status: 'transcribing' | 'completed' | 'failed';
  /** Why there is no transcript: a code, or the words of the job. */
  error: string | null;
  duration_ms: number;
  /** The size of the recording; null where it is not stored, or not any more. */
  bytes: number | null;
  transcript: string | null;
  /** Told of it. */
  webhook_url: string | null;
  created_at: number;
  completed_at: number | null;
}

export interface TelephonyTables {
  telephony_numbers: TelephonyNumberRow;
  telephony_calls: TelephonyCallRow;
  telephony_campaigns: TelephonyCampaignRow;
  telephony_targets: TelephonyTargetRow;
  telephony_voicemails: TelephonyVoicemailRow;
}
