export type Role = 'agent' | 'customer' | 'unknown';

export interface TimedWord {
  readonly word: string;
  /** Seconds from the start of the conversation. */
  readonly start: number;
  readonly end: number;
  /** The recognizer's confidence, where it reports one. */
  readonly confidence?: number;
}

export interface Utterance {
  readonly speaker: Role;
  readonly label: string | null;
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly words: readonly TimedWord[];
}

export type SourceKind = 'transcript' | 'call' | 'job';

export interface Source {
  readonly kind: SourceKind;
  /** The id of the call or job; null for a transcript that was sent. */
  readonly id: string | null;
}

/** An agent's part of a call. */
export interface ConversationAgent {
  readonly agentId: string;
  readonly agentVersion: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A conversation of people and agents from any source. Its personal data is redacted. */
export interface Conversation {
  readonly source: Source;
  /** The language is null when the source names none. */
  readonly language: string | null;
  /** The language in which the job asks for its summary. */
  readonly summaryLanguage?: string;
  readonly agentId: string | null;
  readonly agentVersion: string | null;
  /** The agents that had the call one after another; absent where there was one at most. */
  readonly agents?: readonly ConversationAgent[];
  readonly externalId: string | null;
  /** The customer's number in E.164. */
  readonly customerNumber: string | null;
  readonly direction: 'inbound' | 'outbound' | null;
  /** Unix ms. */
  readonly startedAt: number | null;
  /** The time from which audio was recorded; null where it was not, or the time is unknown. */
  readonly recordedFromMs: number | null;
  /** It is true where the source times its words. */
  readonly timed: boolean;
  /** The texts that the agent may rely on; null when they are unknown. */
  readonly knowledge: readonly string[] | null;
  readonly utterances: readonly Utterance[];
  /** The words that a rule withheld before they were spoken; absent when there are none. */
  readonly withheld?: readonly WithheldWords[];
}

/** Words that were withheld before they were audible. */
export interface WithheldWords {
  /** `pack_id@version/rule_id`. */
  readonly rule: string;
  readonly text: string;
  /** The time of the replacement that was spoken; null when nothing was. */
  readonly startMs: number | null;
  readonly endMs: number | null;
}

export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A broken rule, or a remark. */
export type Outcome = 'violation' | 'finding';

export const STATUSES = ['open', 'acknowledged', 'dismissed', 'remediated'] as const;
export type Status = (typeof STATUSES)[number];

export interface Span {
  readonly utterance: number;
  readonly start: number;
  readonly end: number;
  /** 1 for the words of the rule; less for words that sound or mean alike. */
  readonly likeness: number;
  /** The words or the example of the rule that matched. */
  readonly held: string;
}

export interface Hit {
  /** The span is null when a required utterance is missing. */
  readonly span: Span | null;
  readonly detail: string;
}

/** The reason for which a rule did not judge a conversation. */
export type Unjudged =
  | 'language'
  | 'no_model'
  | 'no_sounds'
  | 'no_times'
  | 'no_number'
  | 'no_time_zone'
  | 'no_start'
  | 'no_knowledge'
  | 'no_recording'
  | 'speakers_unknown'
  | 'too_much_work';

export type Judgement =
  | { readonly kind: 'judged'; readonly hits: readonly Hit[] }
  | { readonly kind: 'unjudged'; readonly reason: Unjudged };

export interface Evidence {
  readonly speaker: Role;
  readonly quote: string;
  readonly start_ms: number | null;
  readonly end_ms: number | null;
  /** The source of the times: the words, the share of the utterance, or none. */
  readonly timing: 'words' | 'utterance' | 'none';
  readonly audio: { readonly start_ms: number; readonly end_ms: number } | null;
  /** The recognizer's confidence at that place; null where it reports none. */
  readonly confidence: number | null;
  /** 1 for the rule's own words. */
  readonly likeness: number;
  readonly held_against: string;
  readonly detail: string;
}

export interface JudgedRule {
  readonly pack: string;
  readonly pack_id: string;
  readonly pack_version: string;
  readonly rule_id: string;
  readonly title: string;
  readonly outcome: Outcome;
  readonly severity: Severity;
  readonly evidence: Evidence;
  readonly effect: 'suppress' | null;
  readonly exposure: ExposureAmount | null;
}

/** The potential cost of a violation, in millionths of the currency. */
export interface ExposureAmount {
  readonly currency: string;
  readonly least_micros: number;
  readonly most_micros: number;
}

export interface TraceVerdict {
  readonly verdict: 'clean' | 'findings' | 'violations';
  readonly results: readonly JudgedRule[];
  readonly unjudged: readonly {
    readonly pack_id: string;
    readonly rule_id: string;
    readonly reason: Unjudged;
  }[];
  /** SHA-256 over the conversation, the packs and the findings; judging again gives the same digest. */
  readonly digest: string;
}
