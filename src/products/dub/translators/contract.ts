/** The interface of translators: what a dub asks of any of them. */

export interface TranslationDirection {
  /** ISO 639-1. */
  readonly source: string;
  readonly target: string;
}

/** A direction that a translator has shown to work. */
export interface TranslationOffer extends TranslationDirection {
  /** The language between, where there is one. */
  readonly via: string | null;
}

export interface TranslationRequest {
  readonly text: string;
  /** The text before is context, for instance for pronouns. */
  readonly before: string;
  /** Source term to target term. */
  readonly glossary: Readonly<Record<string, string>>;
  /** A wording no longer than this is wanted; null: any. */
  readonly mostCharacters: number | null;
  /** PCM16, 16 kHz: how it was said. Null where the text is not what was said. */
  readonly sound: (() => Promise<Buffer>) | null;
}

export type TranslatorName = 'model' | 'whisper' | 'apertium';

export interface Translator {
  readonly name: TranslatorName;
  readonly keepsGlossary: boolean;
  /** Can be asked for a shorter wording. */
  readonly shortens: boolean;
  /** The input that the translator takes: text, or the audio of the speech. */
  readonly reads: 'text' | 'sound';
  /** How long a trial counts. */
  readonly goodForMs: number;
  /** Tries itself, and says what works now. */
  offers(signal: AbortSignal): Promise<readonly TranslationOffer[]>;
  /** Throws where it can't. */
  translate(offer: TranslationOffer, what: TranslationRequest, signal: AbortSignal): Promise<string>;
}

/** Everyday words that a translator is tried with: the sentence, and a word that its translation into a language holds. */
export const TRIAL: Readonly<Record<string, { readonly sentence: string; readonly word: string }>> = {
  en: { sentence: 'The house is big.', word: 'house' },
  es: { sentence: 'La casa es grande.', word: 'casa' },
  fr: { sentence: 'La maison est grande.', word: 'maison' },
  it: { sentence: 'La casa è grande.', word: 'casa' },
  pt: { sentence: 'A casa é grande.', word: 'casa' },
  de: { sentence: 'Das Haus ist groß.', word: 'haus' },
  hi: { sentence: 'घर बड़ा है।', word: 'घर' },
};

/** Whether a trial came back in the language that was asked for. */
export const passes = (translated: string, target: string): boolean =>
  translated.toLowerCase().includes(TRIAL[target]?.word ?? '\0');
