export const CASE_KINDS = ['new_number', 'port_in'] as const;
export type CaseKind = (typeof CASE_KINDS)[number];

export const COUNTRIES = ['US', 'CA', 'IN', 'GB', 'AU'] as const;
export type Country = (typeof COUNTRIES)[number];

export const CASE_STATES = [
  'collecting_evidence',
  'extracting',
  'needs_review',
  'ready_for_submission',
  'submitted',
  'cancelled',
] as const;
export type CaseState = (typeof CASE_STATES)[number];

export const MALWARE_STATES = ['pending', 'clean', 'infected', 'unscannable'] as const;
export type MalwareStatus = (typeof MALWARE_STATES)[number];

export const EXTRACTION_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type ExtractionStatus = (typeof EXTRACTION_STATES)[number];

export const NETWORK_STATES = [
  'draft',
  'evaluating',
  'pending_review',
  'in_review',
  'approved',
  'rejected',
] as const;
export type NetworkStatus = (typeof NETWORK_STATES)[number];

export const CONTINUATIONS = [
  'evidence_missing',
  'extraction_running',
  'review_needed',
  'ready_to_submit',
  'network_evaluating',
  'network_asked_back',
  'network_reviewing',
  'network_approved',
  'network_rejected',
  'cancelled',
] as const;
export type Continuation = (typeof CONTINUATIONS)[number];

export const TERMINAL_REASONS = ['network_review_submitted', 'cancelled_by_customer'] as const;
export type TerminalReason = (typeof TERMINAL_REASONS)[number];

export const PII_CLASSES = [
  'none',
  'name',
  'address',
  'phone_number',
  'account_number',
  'tax_id',
  'birth_date',
  'secret',
] as const;
export type PiiClass = (typeof PII_CLASSES)[number];

/** A box on a page: left, top, right and bottom, each as a share of the page from 0 to 1. */
export type Box = readonly [number, number, number, number];

/** The place where the value was found; null when a human entered it. */
export interface Provenance {
  readonly source: 'text' | 'ocr' | 'correction';
  readonly page: number | null;
  readonly box: Box | null;
  /** The first and the last word on the page, counted from 0 in reading order. */
  readonly words: readonly [number, number] | null;
}

export interface ReadField {
  readonly field: string;
  readonly value: string;
  readonly confidence: number;
  readonly provenance: Provenance;
  readonly pii_class: PiiClass;
  /** The value is at its label but does not match its format. */
  readonly invalid?: true;
}

export interface MissingItem {
  readonly code: string;
  readonly message: string;
  readonly document_request_id?: string;
  readonly upload_id?: string;
  readonly field?: string;
  readonly attestation_request_id?: string;
  readonly match_id?: string;
}

export type MatchResult = 'match' | 'mismatch' | 'unknown';

/** Compares two fields of two documents. It does not contain their values. */
export interface FieldMatch {
  readonly id: string;
  readonly kind: string;
  readonly left: string;
  readonly right: string;
  readonly result: MatchResult;
  readonly score: number;
  readonly reason: string;
}

export interface Attestation {
  readonly id: string;
  readonly attestation_request_id: string;
  readonly accepted_by: { readonly kind: string; readonly id: string };
  readonly accepted_at: number;
}

/** The attestation for a market whose rules require a human review. An owner or admin gives it, never an API key. */
export const MANUAL_REVIEW = 'manual_review';

export interface NetworkExchange {
  readonly reference: string | null;
  /** The network's requirements before it accepts the case; cleared once the evidence changes. */
  readonly asked_back: readonly string[];
  readonly reason: string | null;
}
export const SILENCE: NetworkExchange = { reference: null, asked_back: [], reason: null };
