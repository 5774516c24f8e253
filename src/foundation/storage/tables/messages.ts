import type { Environment } from '../../tenancy/index.ts';

export interface MessageRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  direction: 'inbound' | 'outbound';
  from_number: string;
  to_number: string;
  body: string;
  media_urls: string;
  campaign_id: string | null;
  /** The message is erased under this number of the person. */
  external_id: string;
  status: 'queued' | 'sent' | 'delivered' | 'failed' | 'received';
  failure_code: string | null;
  reference: string | null;
  answers_id: string | null;
  created_at: number;
  updated_at: number;
}

export interface MessageOptOutRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  our_number: string;
  their_number: string;
  created_at: number;
}

export interface MessageHandOverRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  our_number: string;
  /** The conversation is erased under this number of the person. */
  external_id: string;
  agent_id: string | null;
  wanted: string | null;
  summary: string | null;
  message_id: string | null;
  created_at: number;
}

export interface MessagesTables {
  messages: MessageRow;
  message_opt_outs: MessageOptOutRow;
  message_hand_overs: MessageHandOverRow;
}
