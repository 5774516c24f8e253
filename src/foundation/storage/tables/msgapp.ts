import type { Environment } from '../../tenancy/index.ts';

/** Rows of the tables that the msgapp module owns. */

export interface MsgappNumberRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  /** The key that registered it, for the audit. */
  key_id: string;
  waba_id: string;
  phone_number_id: string;
  phone_number: string;
  app_id: string;
  /** JSON, sealed: access token, app secret, verify token. */
  secrets: string;
  /** The hash of the verify token, which the provider sends in plain text to verify the webhook's address. */
  verify_sha256: string;
  agent_id: string | null;
  calling_enabled: number;
  /** JSON: what was pushed last. */
  calling_settings: string;
  status: 'active' | 'released';
  /**
   * The provider first accepted the access token for this number then, which proves the owner. It is null until
   * then.
   */
  proven_at: number | null;
  created_at: number;
  updated_at: number;
  released_at: number | null;
}

export interface MsgappPermissionRow {
  /** The number's id and the person's number. */
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  number_id: string;
  phone_number: string;
  status: 'asked' | 'granted' | 'declined' | 'revoked';
  /** A permission without an end has null. */
  until: number | null;
  /** JSON: when the person was asked, of the last seven days. */
  asked: string;
  /** Calls in a row that the person did not take. */
  unanswered: number;
  /** When the person replied last, as the provider dates it; 0: never. */
  replied_at: number;
  updated_at: number;
}

export interface MsgappCallRow {
  id: string;
  /** The call that it is a part of; null in a row that a node of a version before has just written. */
  call_id: string | null;
  org_id: string;
  project_id: string;
  environment: Environment;
  number_id: string;
  /** The provider's. */
  provider_call_id: string;
  direction: 'inbound' | 'outbound';
  from_number: string;
  to_number: string;
  agent_id: string | null;
  omni_call_id: string | null;
  state: 'ringing' | 'answered' | 'ended';
  /** For nodes of a version before, which judge by it whether the call lives. */
  seen_at: number;
  /** The call was ended then because its node was lost; null again once its node took it back. */
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
