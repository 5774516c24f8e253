/** Types that the compliance module and its users share. */

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

/** The box of a value on a page: left, top, right and bottom, each from 0 to 1 of the page. */
export type Box = readonly [number, number, number, number];

/** The place where a value was found; null when a human entered it. */
export interface Provenance {
  readonly source: 'text' | 'ocr' | 'correction';
  readonly page: number | null;
  readonly box: Box | null;
  /** The first and the last word on the page, counted from 0 in reading order. */
  readonly words: readonly [number, number] | null;
}

/** A field that was read. */
export interface ReadField {
  readonly field: string;
  readonly value: string;
  readonly confidence: number;
  readonly provenance: Provenance;
  readonly pii_class: PiiClass;
  /** It stood where it should, and is not of its format. */
  readonly invalid?: true;
}

/** A missing item blocks a case's next step; its text is for the human who works on it. */
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

/** Two fields of two documents beside each other; it tells no value. */
export interface FieldMatch {
  readonly id: string;
  readonly kind: string;
  readonly left: string;
  readonly right: string;
  readonly result: MatchResult;
  /** 0 to 1. */
  readonly score: number;
  readonly reason: string;
}

export interface Attestation {
  readonly id: string;
  readonly attestation_request_id: string;
  readonly accepted_by: { readonly kind: string; readonly id: string };
  readonly accepted_at: number;
}

/** Asked where a market's rules want a person's review: an owner or admin gives it, never a key. */
export const MANUAL_REVIEW = 'manual_review';

export interface NetworkExchange {
  /** The carrier's own name for what was submitted. */
  readonly reference: string | null;
  /** The network's requirements before it accepts the case; cleared once the evidence changes. */
  readonly asked_back: readonly string[];
  readonly reason: string | null;
}
export const SILENCE: NetworkExchange = { reference: null, asked_back: [], reason: null };
