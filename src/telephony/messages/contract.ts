import type { TenantScope } from '../../foundation/access/contract.ts';
import type { BillingAccount } from '../../foundation/billing/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { MessageFailure } from '../carriers/index.ts';

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

export interface NumberDirectory {
  owns(scope: TenantScope, phoneNumber: string): Promise<boolean>;
  ownerOf(phoneNumber: string): Promise<TenantScope | null>;
  agentOf(scope: TenantScope, phoneNumber: string): Promise<string | null>;
  ofAgent(scope: TenantScope, agentId: string): Promise<string | null>;
}

export interface ConversationMessage {
  readonly id: string;
  readonly ours: string;
  readonly theirs: string;
  /** The texts are oldest first; the last is the message to answer. */
  readonly talk: readonly { readonly by: 'person' | 'agent'; readonly text: string }[];
}

export interface HandOverOrder {
  /** The agent is null when a human took over unprompted. */
  readonly agentId: string | null;
  readonly to: string | null;
  readonly summary: string | null;
}

export interface TextReply {
  /** An empty text sends nothing. */
  readonly text: string;
  readonly handOver: HandOverOrder | null;
}

export interface Answerer {
  /** Returns null when no agent answers the number. Throws where a retry may succeed. */
  answer(scope: TenantScope, written: ConversationMessage, signal: AbortSignal): Promise<TextReply | null>;
}

export interface AdmittedAnswer {
  /** Records the cost in the transaction of the answer, once per message however often it is retried. */
  bill(trx: Trx, messageId: string): Promise<void>;
  release(): Promise<void>;
}

export interface AnswerAdmission {
  admit(scope: TenantScope, messageId: string): Promise<AdmittedAnswer | null>;
}

export interface TextCharge {
  readonly account: BillingAccount;
  readonly hold: string | null;
}

export interface AdmittedText {
  readonly charge: TextCharge;
  /** Runs in the transaction that queues the text. The reservation lasts until the network accepts it. */
  keep(trx: Trx): Promise<void>;
  /** Runs after that transaction has committed: from then on `release` gives nothing back. */
  handOver(): void;
  release(): Promise<void>;
}

export interface MessageBilling {
  /** `keyId` is the API key to which the usage counts. Throws ApiError where the project may not send the text. */
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
