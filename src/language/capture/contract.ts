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
  readonly words?: readonly { readonly text: string; readonly confidence: number }[];
}

export interface CaptureHints {
  readonly language: LanguageCode;
  /** It is midnight (UTC) of the caller's day, see `dayIn`: "tomorrow" counts from it. */
  readonly today?: number;
  /** The country whose telephone numbers need no country code: "US". */
  readonly country?: string;
  /** The currency of an amount that is stated without one, such as "EUR". */
  readonly currency?: string;
  readonly length?: { readonly min: number; readonly max: number };
  readonly check?: 'luhn' | 'iban';
}

export type MissingPart =
  | { readonly what: 'everything' }
  | { readonly what: 'characters'; readonly at: readonly number[] }
  | { readonly what: 'length'; readonly have: number; readonly min: number; readonly max: number }
  | { readonly what: 'half_of_day'; readonly hour: number; readonly minute: number }
  | { readonly what: 'day' }
  | { readonly what: 'check' }
  /** The value is invalid for its kind, however well it was recognized. */
  | { readonly what: 'format' };

export interface CaptureReading {
  /** The value is in normal form; null while a part is missing. */
  readonly value: string | null;
  /** Corrections refer to these characters, complete or not. Values that have no characters of their own have none. */
  readonly heard: readonly Character[];
  readonly confidence: number;
  readonly missing: MissingPart | null;
  readonly readBack: string;
}

export type ValueReader = (said: SpokenInput, keys: string, hints: CaptureHints) => CaptureReading;
