import { PermanentError } from '../../../foundation/jobs/index.ts';
import type { CaseKind, Country } from '../contract.ts';

export interface SubmissionPacket {
  readonly case_id: string;
  /** A retry of the same submission has the same key, so that the carrier accepts it once. */
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
  readonly file_name: string;
  readonly mime_type: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly fields: Readonly<Record<string, string>>;
  bytes(): Promise<AsyncIterable<Uint8Array>>;
}

export type Evaluation =
  | { readonly kind: 'accepted'; readonly reference: string }
  /** The network requires more or other evidence; the reasons are for the human who works on the case. */
  | { readonly kind: 'asks_back'; readonly reasons: readonly string[] };

export interface Review {
  readonly status: 'pending_review' | 'in_review' | 'approved' | 'rejected';
  readonly reason: string | null;
}

/** A retry of a refused request is useless. The message is for the human who works on the case. */
export class NetworkRefused extends PermanentError {}

/**
 * The interface to a carrier's review, which each adapter implements. It throws NetworkRefused where a retry is
 * useless, and any other error where the carrier is unreachable and a retry may succeed.
 */
export interface NumberingNetwork {
  readonly name: string;
  readonly everyMs: number;
  evaluate(packet: SubmissionPacket, signal: AbortSignal): Promise<Evaluation>;
  review(reference: string, signal: AbortSignal): Promise<Review>;
}
