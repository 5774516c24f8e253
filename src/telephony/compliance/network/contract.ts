import { PermanentError } from '../../../foundation/jobs/index.ts';
import type { CaseKind, Country } from '../contract.ts';

/** The packet goes to the carrier's network. Its values are unmasked, because the network requires them. */
export interface SubmissionPacket {
  readonly case_id: string;
  /** The same submission, sent again after a crash, has the same one: a carrier takes it once. */
  readonly idempotency_key: string;
  readonly kind: CaseKind;
  readonly country: Country;
  readonly number_type: string;
  readonly capabilities: readonly string[];
  readonly use_case: string;
  readonly registry_version: string;
  readonly documents: readonly PacketDocument[];
  readonly attestations: readonly string[];
}

export interface PacketDocument {
  readonly document_type: string;
  /** The file name contains no personal data. */
  readonly file_name: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly fields: Readonly<Record<string, string>>;
  bytes(): Promise<AsyncIterable<Uint8Array>>;
}

export type Evaluation =
  /** Taken for review, under the carrier's own name for it. */
  | { readonly kind: 'accepted'; readonly reference: string }
  /** It wants more, or something else, first; in words for whoever works on the case. */
  | { readonly kind: 'asks_back'; readonly reasons: readonly string[] };

export interface Review {
  readonly status: 'pending_review' | 'in_review' | 'approved' | 'rejected';
  readonly reason: string | null;
}

/** The carrier takes no such request, however often it is sent; in words for whoever works on the case. */
export class NetworkRefused extends PermanentError {}

/** The interface to a carrier's review. An adapter of a carrier is one object of this shape. It throws NetworkRefused where asking
 * again would not help, and anything else where the carrier cannot be reached: then it is asked again. */
export interface NumberingNetwork {
  readonly name: string;
  /** How long until a review is asked about again. */
  readonly everyMs: number;
  evaluate(packet: SubmissionPacket, signal: AbortSignal): Promise<Evaluation>;
  review(reference: string, signal: AbortSignal): Promise<Review>;
}
