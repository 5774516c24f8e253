/** What Trace judges, and what it says of it. */

export type Role = 'agent' | 'customer' | 'unknown';

export interface TimedWord {
  readonly word: string;
  /** Seconds from the start of the conversation. */
  readonly start: number;
  readonly end: number;
  /** Of the recognizer, where it says one. */
  readonly confidence?: number;
}

/** What one side says in one go. */
export interface Utterance {
  readonly speaker: Role;
  /** As the source names whoever speaks. */
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

/** Anything that people and agents said to one another, whoever carried it. Its personal data is redacted. */
export interface Conversation {
  readonly source: Source;
  /** Null where nobody said it. */
  readonly language: string | null;
  /** In which a job asks for its summary, where it asks. */
  readonly summaryLanguage?: string;
  readonly agentId: string | null;
  readonly agentVersion: string | null;
  readonly externalId: string | null;
  /** The customer's number, E.164. */
  readonly customerNumber: string | null;
  readonly direction: 'inbound' | 'outbound' | null;
  /** Unix ms. */
  readonly startedAt: number | null;
  /** From when on it was recorded; null: it was not, or nobody knows. */
  readonly recordedFromMs: number | null;
  /** Whether the source says when its words were said. */
  readonly timed: boolean;
  /** What the agent may rely on; null: nobody said. */
  readonly knowledge: readonly string[] | null;
  readonly utterances: readonly Utterance[];
  /** What was held back before it was spoken, by a rule of the call; absent: nothing was. */
  readonly withheld?: readonly WithheldWords[];
}

/** Words that nobody heard. */
export interface WithheldWords {
  /** `pack_id@version/rule_id`. */
  readonly rule: string;
  readonly text: string;
  /** Of what was said in their place; null: nothing was. */
  readonly startMs: number | null;
  readonly endMs: number | null;
}

export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A rule that was broken, or something worth knowing. */
export type Outcome = 'violation' | 'finding';

export const STATUSES = ['open', 'acknowledged', 'dismissed', 'remediated'] as const;
export type Status = (typeof STATUSES)[number];

/** Where in a conversation something is. */
export interface Span {
  readonly utterance: number;
  readonly start: number;
  readonly end: number;
  /** 1 where the words are those of the rule; less where they sound or mean alike. */
  readonly likeness: number;
  /** The words or example of the rule that it is held against. */
  readonly held: string;
}

/** What a rule found. */
export interface Hit {
  /** Null where something is missing. */
  readonly span: Span | null;
  readonly detail: string;
}

/** Why a rule says nothing of a conversation. */
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

/** Evidence as it is shown and kept. */
export interface Evidence {
  readonly speaker: Role;
  readonly quote: string;
  readonly start_ms: number | null;
  readonly end_ms: number | null;
  /** How the times were had: from the words, from the share of the utterance, or there are none. */
  readonly timing: 'words' | 'utterance' | 'none';
  readonly audio: { readonly start_ms: number; readonly end_ms: number } | null;
  /** Of the recognizer at that place; null where it says none. */
  readonly confidence: number | null;
  /** 1 where the words are the rule's own. */
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
  readonly money: MoneyExposure | null;
}

/** What a violation may cost, in millionths of the currency. */
export interface MoneyExposure {
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
  /** SHA-256 over the conversation, the packs and all that was found: the same again gives the same. */
  readonly digest: string;
}
