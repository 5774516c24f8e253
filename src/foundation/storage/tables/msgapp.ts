import type { Environment } from '../../tenancy/index.ts';

export interface MsgappNumberRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  key_id: string;
  waba_id: string;
  phone_number_id: string;
  phone_number: string;
  app_id: string;
  secrets: string;
  /** The provider sends the verify token in plain text to verify the webhook's address, so only its hash is needed. */
  verify_sha256: string;
  agent_id: string | null;
  calling_enabled: number;
  calling_settings: string;
  status: 'active' | 'released';
  /**
   * The provider first accepted the access token for this number then, which proves the owner. It is null until then.
   */
  proven_at: number | null;
  created_at: number;
  updated_at: number;
  released_at: number | null;
}

export interface MsgappPermissionRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  number_id: string;
  phone_number: string;
  status: 'asked' | 'granted' | 'declined' | 'revoked';
  until: number | null;
  asked: string;
  unanswered: number;
  /** It is the time of the last reply by the provider's clock; 0 means never. */
  replied_at: number;
  updated_at: number;
}

export interface MsgappCallRow {
  id: string;
  /** It is null only in a row that a node of an earlier version has just written. */
  call_id: string | null;
  org_id: string;
  project_id: string;
  environment: Environment;
  number_id: string;
  provider_call_id: string;
  direction: 'inbound' | 'outbound';
  from_number: string;
  to_number: string;
  agent_id: string | null;
  omni_call_id: string | null;
  state: 'ringing' | 'answered' | 'ended';
  /** Nodes of earlier versions judge by it whether the call is live. */
  seen_at: number;
  /** The call was ended then because its node was lost; null again once the node took it back. */
  lost_at: number | null;
  end_reason: string | null;
  error: string | null;
  created_at: number;
  answered_at: number | null;
  ended_at: number | null;
}

export interface MsgappTables {
  msgapp_numbers: MsgappNumberRow;
  msgapp_permissions: MsgappPermissionRow;
  msgapp_calls: MsgappCallRow;
}
