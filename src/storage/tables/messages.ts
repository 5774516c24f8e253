import type { Environment } from '../../access/contract.ts';

/** A text between a customer's number and a person. */
export interface MessageRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  direction: 'inbound' | 'outbound';
  from_number: string;
  to_number: string;
  body: string;
  /** A JSON list. */
  media_urls: string;
  campaign_id: string | null;
  /** The person's number, under which it is erased. */
  external_id: string;
  status: 'queued' | 'sent' | 'delivered' | 'failed' | 'received';
  failure_code: string | null;
  /** The network's own id of what came in: it comes once. */
  reference: string | null;
  /** Of an agent's answer: the message that it answers. */
  answers_id: string | null;
  created_at: number;
  updated_at: number;
}

/** Who wants no messages from a number. */
export interface MessageOptOutRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  our_number: string;
  their_number: string;
  created_at: number;
}

/** Rows of the tables that the messages room owns. */
export interface MessagesTables {
  messages: MessageRow;
  message_opt_outs: MessageOptOutRow;
}
