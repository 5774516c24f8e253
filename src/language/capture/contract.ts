import type { LanguageCode } from '../text/index.ts';
import type { Character } from './characters.ts';

export type CaptureKind =
  | 'digits'
  | 'phone'
  | 'email'
  | 'name'
  | 'code'
  | 'date'
  | 'time'
  | 'amount'
  | 'yes_no';

export interface SpokenInput {
  readonly text: string;
  /** The same word by word, with how sure recognition was of each. */
  readonly words?: readonly { readonly text: string; readonly confidence: number }[];
}

export interface CaptureHints {
  readonly language: LanguageCode;
  /** Midnight (UTC) of the caller's day, see `dayIn`: what "tomorrow" is counted from. */
  readonly today?: number;
  /** The country whose telephone numbers need no country code: "US". */
  readonly country?: string;
  /** The currency of an amount that is stated without one, such as "EUR". */
  readonly currency?: string;
  /** How many characters a run of digits or a code has. */
  readonly length?: { readonly min: number; readonly max: number };
  readonly check?: 'luhn' | 'iban';
}

export type MissingPart =
  /** Nothing of the kind was said. */
  | { readonly what: 'everything' }
  /** These characters of what was heard could be others. */
  | { readonly what: 'characters'; readonly at: readonly number[] }
  | { readonly what: 'length'; readonly have: number; readonly min: number; readonly max: number }
  /** Morning or evening. */
  | { readonly what: 'half_of_day'; readonly hour: number; readonly minute: number }
  /** A day that could be several, or does not exist. */
  | { readonly what: 'day' }
  /** Its check digits say that it was misheard. */
  | { readonly what: 'check' }
  /** It is none of its kind, however well it was heard. */
  | { readonly what: 'format' };

export interface CaptureReading {
  /** The value in normal form; null while a part is missing. */
  readonly value: string | null;
  /** The characters as they were heard, whole or not: what corrections count in. None of what has no characters of its own. */
  readonly heard: readonly Character[];
  /** The confidence from 0 to 1. */
  readonly confidence: number;
  readonly missing: MissingPart | null;
  /** The value as a person reads it to another. */
  readonly readBack: string;
}

/** Reads one kind of value from what was said and what was pressed. */
export type ValueReader = (said: SpokenInput, keys: string, hints: CaptureHints) => CaptureReading;
