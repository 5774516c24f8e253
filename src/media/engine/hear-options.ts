import type { OptionValue } from './packed-records.ts';

export const HEAR_LANGUAGES = ['en', 'es', 'fr', 'de', 'hi', 'it', 'pt', 'nl'] as const;
export type HearLanguage = (typeof HEAR_LANGUAGES)[number];

/** The recognizers often misspell these languages, so every interface that offers them says so. */
export const EXPERIMENTAL_LANGUAGES: readonly string[] = ['hi'] satisfies readonly HearLanguage[];

export interface VocabularyTerm {
  readonly term: string;
  readonly sounds_like?: readonly string[];
}

export interface RecognitionOptions {
  readonly language?: HearLanguage;
  /**
   * The languages of the speaker. Each final is in one of them, and in another than `language` only on clear
   * evidence.
   */
  readonly languages?: readonly HearLanguage[];
  readonly temperature?: number;
  readonly seed?: number;
  readonly vocabulary?: readonly VocabularyTerm[];
  readonly before?: string;
}

export function flattenRecognition(options: RecognitionOptions): Record<string, OptionValue> {
  const terms = options.vocabulary?.map(({ term, sounds_like = [] }) =>
    [term, ...sounds_like].map((text) => text.replaceAll('\t', ' ')).join('\t'),
  );
  return {
    language: options.language,
    languages: options.languages && options.languages.length > 1 ? [...options.languages] : undefined,
    temperature: options.temperature,
    seed: options.seed,
    terms: terms && terms.length > 0 ? terms : undefined,
    before: options.before,
  };
}
