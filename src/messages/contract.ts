import type { Reach } from '../access/contract.ts';
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

/** Whose numbers are whose. */
export interface NumberBook {
  owns(reach: Reach, phoneNumber: string): Promise<boolean>;
  /** Null: nobody here has it. */
  ownerOf(phoneNumber: string): Promise<Reach | null>;
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
