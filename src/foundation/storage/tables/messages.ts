import type { Environment } from '../../tenancy/index.ts';

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
  /** An agent's answer names the message that it answers. */
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

/** A conversation that an agent has handed over, or that a person has taken: a person answers there until it is given back. */
export interface MessageHandOverRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  our_number: string;
  /** The person's number, under which it is erased. */
  external_id: string;
  /** The agent that handed it over; null: a person took it. */
  agent_id: string | null;
  /** Who is to take it; null: nobody was named. */
  wanted: string | null;
  /** A summary for the person who takes over; null where nothing was said or its retention has ended. */
  summary: string | null;
  /** The message that was answered by handing over; null: a person took it. */
  message_id: string | null;
  created_at: number;
}

/** Rows of the tables that the messages module owns. */
export interface MessagesTables {
  messages: MessageRow;
  message_opt_outs: MessageOptOutRow;
  message_hand_overs: MessageHandOverRow;
}
