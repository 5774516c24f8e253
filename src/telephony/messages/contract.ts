import type { TenantScope } from '../../foundation/access/contract.ts';
import type { BillingAccount } from '../../foundation/billing/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { MessageFailure } from '../carriers/index.ts';

/** Why a message did not arrive. */
export type FailureCode = MessageFailure | 'opted_out' | 'media_unreadable' | 'carrier_unavailable';
export const FAILURES: readonly FailureCode[] = [
  'opted_out',
  'unknown_number',
  'unreachable',
  'filtered',
  'carrier_refused',
  'carrier_unavailable',
  'media_unreadable',
];

export const STATUSES = ['queued', 'sent', 'delivered', 'failed', 'received'] as const;

/** The directory maps numbers to their tenants. */
export interface NumberDirectory {
  owns(scope: TenantScope, phoneNumber: string): Promise<boolean>;
  /** The result is null when nobody here has the number. */
  ownerOf(phoneNumber: string): Promise<TenantScope | null>;
  /** Who answers there; null: nobody. */
  agentOf(scope: TenantScope, phoneNumber: string): Promise<string | null>;
  /** The first number that an agent answers; null: none. */
  ofAgent(scope: TenantScope, agentId: string): Promise<string | null>;
}

/** A received message with the conversation before it. */
export interface ConversationMessage {
  readonly id: string;
  readonly ours: string;
  readonly theirs: string;
  /** Oldest first; ends with what is to be answered. */
  readonly talk: readonly { readonly by: 'person' | 'agent'; readonly text: string }[];
}

/** A conversation goes to a person. */
export interface HandOverOrder {
  /** The agent is null when a human took over unprompted. */
  readonly agentId: string | null;
  /** The recipient is null when none was named. */
  readonly to: string | null;
  readonly summary: string | null;
}

export interface TextReply {
  /** An empty text means that there is nothing to say. */
  readonly text: string;
  readonly handOver: HandOverOrder | null;
}

/** Answers what people write. */
export interface Answerer {
  /** The result is null when nobody answers there. Throws where a retry may succeed. */
  answer(scope: TenantScope, written: ConversationMessage, signal: AbortSignal): Promise<TextReply | null>;
}

export interface AdmittedAnswer {
  /** Writes what it costs, with the answer itself; of the same message once, however often it is tried. */
  bill(trx: Trx, messageId: string): Promise<void>;
  release(): Promise<void>;
}

/** Asks whether an answer may be paid for before it is made. */
export interface AnswerAdmission {
  /** The result is null when the answer is not admitted, so that none is sent. */
  admit(scope: TenantScope, messageId: string): Promise<AdmittedAnswer | null>;
}

/** Who pays for a text, and what is reserved for it. The job that sends it keeps it. */
export interface TextCharge {
  readonly account: BillingAccount;
  readonly hold: string | null;
}

/** A text whose price is reserved. */
export interface AdmittedText {
  readonly charge: TextCharge;
  /** Runs in the transaction that queues the text: its price stays reserved until the network accepts it. */
  keep(trx: Trx): Promise<void>;
  /** That transaction has committed: `release` gives nothing back any more. */
  handOver(): void;
  release(): Promise<void>;
}

/** Admits and bills what is sent and answers nothing. */
export interface MessageBilling {
  /** `keyId`: the key that asked, whose use it counts as. Throws ApiError where the project may not send it. */
  admit(scope: TenantScope, keyId: string | null, messageId: string): Promise<AdmittedText>;
  /** Runs in the transaction that records the network's acceptance. */
  settle(trx: Trx, messageId: string, charge: TextCharge): Promise<void>;
  /** Runs in the transaction that records the network's refusal. */
  giveBack(trx: Trx, charge: TextCharge): Promise<void>;
}

export interface NewMessage {
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly mediaUrls: readonly string[];
  readonly campaignId: string | null;
}

export interface MessageFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly direction?: 'inbound' | 'outbound' | undefined;
  readonly status?: string | undefined;
  readonly campaign_id?: string | undefined;
}

/** A conversation that was handed over, as it is shown and told of. */
export interface HandOverView {
  readonly id: string;
  readonly object: 'message.hand_over';
  readonly number: string;
  readonly person: string;
  readonly agent_id: string | null;
  readonly to: string | null;
  readonly summary: string | null;
  readonly message_id: string | null;
  readonly created_at: string;
}

/** A message as it is shown and told of. */
export interface MessageView {
  readonly id: string;
  readonly object: 'message';
  readonly direction: 'inbound' | 'outbound';
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly media_urls: readonly string[];
  readonly campaign_id: string | null;
  readonly status: (typeof STATUSES)[number];
  readonly failure_code: FailureCode | null;
  readonly created_at: string;
  readonly updated_at: string;
}
