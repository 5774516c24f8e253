/** The options of recognition, for streams and files. */
import type { OptionValue } from './packed-records.ts';

export const HEAR_LANGUAGES = ['en', 'es', 'fr', 'de', 'hi', 'it', 'pt', 'nl'] as const;
export type HearLanguage = (typeof HEAR_LANGUAGES)[number];

/** Languages whose words the recognizers at hand often write wrong; every surface that offers them says so. */
export const EXPERIMENTAL_LANGUAGES: readonly string[] = ['hi'] satisfies readonly HearLanguage[];

export interface VocabularyTerm {
  readonly term: string;
  readonly sounds_like?: readonly string[];
}

export interface RecognitionOptions {
  /** The model detects the language, one of eight, when this is absent. */
  readonly language?: HearLanguage;
  /** The languages of the speaker: each final is in one of them, and in another than `language` on clear evidence alone. */
  readonly languages?: readonly HearLanguage[];
  readonly temperature?: number;
  readonly seed?: number;
  readonly vocabulary?: readonly VocabularyTerm[];
  /** Words that the text goes on from: it is written in their manner. */
  readonly before?: string;
}

/** The format is that of native/lanes/hear/options.cc. */
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
