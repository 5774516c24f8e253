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
  /** The folder of an added recognizer that is open; the stock one when absent. */
  readonly recognizer?: string;
  /** The folder of an added quick recognizer that is open, which makes the partials of English; the stock one when absent. */
  readonly quick?: string;
}

export interface RecognitionNeed {
  /** The text that is needed; finals when absent. */
  readonly work?: 'finals' | 'partials';
  /** The recognizer identifies the language when this is absent. */
  readonly language?: string | undefined;
  readonly languages?: readonly string[] | undefined;
  readonly plan?: string | undefined;
  /** The recognizer that the customer names; it comes before the operator's rules. */
  readonly name?: string | undefined;
}

export interface RecognizerChoice {
  readonly name: string;
  readonly folder: string;
}

/** Returns null where the stock recognizer serves. */
export type ChooseRecognizer = (need: RecognitionNeed) => RecognizerChoice | null;

/** Returns the fields for the options of lanes and jobs. */
export function chosenRecognizer(
  choose: ChooseRecognizer | undefined,
  need: RecognitionNeed,
): Pick<RecognitionOptions, 'recognizer' | 'quick'> {
  const finals = choose?.(need) ?? null;
  const partials = choose?.({ ...need, work: 'partials' }) ?? null;
  return {
    ...(finals === null ? {} : { recognizer: finals.folder }),
    ...(partials === null ? {} : { quick: partials.folder }),
  };
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
    recognizer: options.recognizer,
    quick: options.quick,
  };
}
