import type { Environment } from '../../tenancy/index.ts';

interface Owned {
  org_id: string;
  project_id: string;
  environment: Environment;
  /**
   * The creating key serves the audit, and calls that it requested count as its use; later actions belong to the
   * project. It is null without a key.
   */
  key_id: string | null;
}

export interface TelephonyNumberRow extends Owned {
  id: string;
  carrier: string;
  phone_number: string;
  /** The number is claimed while in use or in quarantine, and null afterwards. It is unique with the carrier. */
  claimed: string | null;
  reference: string;
  country: string;
  number_type: string;
  capabilities: string;
  agent_id: string | null;
  /** A `pending_compliance` number is ordered after a compliance case for it is approved. */
  status: 'active' | 'pending_compliance' | 'released';
  settings: string;
  created_at: number;
  released_at: number | null;
  quarantined_until: number | null;
}

/** A customer's telephone that may register by SIP. */
export interface SipTelephoneRow extends Owned {
  readonly id: string;
  readonly username: string;
  readonly phone_number: string | null;
  /** Sealed; MD5 of `username:realm:password`, which the digest needs. */
  readonly secret: string;
  readonly created_at: number;
}

export interface TelephonyCallRow extends Owned {
  id: string;
  /** It is null only in a row that a node of an earlier version has just written. */
  call_id: string | null;
  carrier: string;
  direction: 'inbound' | 'outbound';
  from_number: string;
  to_number: string;
  number_id: string | null;
  agent_id: string | null;
  campaign_id: string | null;
  state: 'queued' | 'ringing' | 'answered' | 'ended';
  end_reason: string | null;
  end_detail: string | null;
  request: string;
  answered_by: string | null;
  omni_call_id: string | null;
  reference: string | null;
  scheduled_at: number | null;
  dialed_at: number | null;
  transferred_at: number | null;
  /** Nodes of earlier versions judge by it whether the call is live. */
  seen_at: number;
  /** The call was ended then because its node was lost; null again once the node took it back. */
  lost_at: number | null;
  created_at: number;
  answered_at: number | null;
  ended_at: number | null;
  duration_ms: number;
  billed_minutes: number;
  quality: string;
  recording_bytes: number | null;
}

export interface TelephonyCampaignRow extends Owned {
  id: string;
  name: string;
  from_number: string;
  agent_id: string;
  state: 'draft' | 'running' | 'paused' | 'done';
  paused_reason: string | null;
  plan: string;
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
  variables: string;
  state: 'waiting' | 'calling' | 'done';
  attempts: number;
  next_at: number;
  outcome: string | null;
  call_id: string | null;
}

export interface TelephonyVoicemailRow extends Owned {
  id: string;
  number_id: string | null;
  call_id: string;
  from_number: string;
  to_number: string;
  job_id: string | null;
  status: 'transcribing' | 'completed' | 'failed';
  error: string | null;
  duration_ms: number;
  bytes: number | null;
  transcript: string | null;
  webhook_url: string | null;
  created_at: number;
  completed_at: number | null;
}

export interface TelephonyTables {
  sip_telephones: SipTelephoneRow;
  telephony_numbers: TelephonyNumberRow;
  telephony_calls: TelephonyCallRow;
  telephony_campaigns: TelephonyCampaignRow;
  telephony_targets: TelephonyTargetRow;
  telephony_voicemails: TelephonyVoicemailRow;
}
