export interface TranslationDirection {
  readonly source: string;
  readonly target: string;
}

/** A direction in which a translator has passed its probe. */
export interface TranslationOffer extends TranslationDirection {
  /** The language between, for translations in two steps. */
  readonly via: string | null;
}

export interface TranslationRequest {
  readonly text: string;
  /** The text before is context, for instance for pronouns. */
  readonly before: string;
  readonly glossary: Readonly<Record<string, string>>;
  /** The longest wording that fits; null where any length fits. */
  readonly mostCharacters: number | null;
  /** Returns the speech as PCM16 at 16 kHz; null where the text differs from the speech. */
  readonly sound: (() => Promise<Buffer>) | null;
}

export type TranslatorName = 'model' | 'whisper' | 'apertium';

export interface Translator {
  readonly name: TranslatorName;
  readonly keepsGlossary: boolean;
  /** It is true where a shorter wording can be requested. */
  readonly shortens: boolean;
  readonly reads: 'text' | 'sound';
  /** A probe is valid for this time. */
  readonly goodForMs: number;
  /** Probes itself and returns the directions that work now. */
  offers(signal: AbortSignal): Promise<readonly TranslationOffer[]>;
  translate(offer: TranslationOffer, what: TranslationRequest, signal: AbortSignal): Promise<string>;
}

/** Probes by language: a sentence, and a word that a translation into the language must contain. */
export const TRIAL: Readonly<Record<string, { readonly sentence: string; readonly word: string }>> = {
  en: { sentence: 'The house is big.', word: 'house' },
  es: { sentence: 'La casa es grande.', word: 'casa' },
  fr: { sentence: 'La maison est grande.', word: 'maison' },
  it: { sentence: 'La casa è grande.', word: 'casa' },
  pt: { sentence: 'A casa é grande.', word: 'casa' },
  de: { sentence: 'Das Haus ist groß.', word: 'haus' },
  hi: { sentence: 'घर बड़ा है।', word: 'घर' },
  zh: { sentence: '房子很大。', word: '房' },
  ja: { sentence: '家は大きいです。', word: '家' },
  ko: { sentence: '집이 큽니다.', word: '집' },
  ru: { sentence: 'Дом большой.', word: 'дом' },
};

export const passes = (translated: string, target: string): boolean =>
  translated.toLowerCase().includes(TRIAL[target]?.word ?? '\0');
