import { languageAskedFor, tokensOf } from '../../language/text/index.ts';
import type { CallerUtterance } from '../session/index.ts';
import type { ServedLanguage } from './configuration.ts';

export interface LanguageDecision {
  readonly to: ServedLanguage;
  readonly reason: 'detected' | 'asked';
}

/** A shorter utterance, a single word or a less likely language decides nothing. */
const LEAST_SPOKEN_MS = 900;
const LEAST_WORDS = 2;
const LEAST_ODDS = 0.9;
/** Utterances in a row. */
const IN_A_ROW = 2;
/** Speakers of Hindi mix English into it: two English sentences are no change of language yet. */
const IN_A_ROW_FROM_HINDI = 4;
const DEVANAGARI = /\p{Script=Devanagari}/u;

/** Decides when a call goes on in another language: by what is heard of each utterance, or because the caller asks for it. */
export class CallerLanguage {
  readonly #languages: () => readonly ServedLanguage[];
  /** Utterances in a row that were clearly in another language than the call's. */
  #run: { readonly language: ServedLanguage; readonly count: number } | null = null;

  /** `languages`: those of the agent; with fewer than two, nothing is decided. */
  constructor(languages: () => readonly ServedLanguage[]) {
    this.#languages = languages;
  }

  /** Returns null where the call goes on in `current`. */
  heard(utterance: CallerUtterance, current: ServedLanguage): LanguageDecision | null {
    const languages = this.#languages();
    if (languages.length < 2) return null;
    const asked = languageAskedFor(utterance.text, languages);
    if (asked !== null && asked !== current) return this.#decide({ to: asked, reason: 'asked' });
    const language = clearLanguageOf(utterance, languages);
    if (language === null) return null;
    if (language === current) {
      this.#run = null;
      return null;
    }
    const count = this.#run?.language === language ? this.#run.count + 1 : 1;
    this.#run = { language, count };
    const needed = current === 'hi' && language === 'en' ? IN_A_ROW_FROM_HINDI : IN_A_ROW;
    return count < needed ? null : this.#decide({ to: language, reason: 'detected' });
  }

  #decide(decision: LanguageDecision): LanguageDecision {
    this.#run = null;
    return decision;
  }
}

/** Returns null where too little was said, or it may be in another language. */
function clearLanguageOf(
  { text, identified }: CallerUtterance,
  languages: readonly ServedLanguage[],
): ServedLanguage | null {
  if (identified === undefined || identified.spokenMs < LEAST_SPOKEN_MS) return null;
  if (identified.odds < LEAST_ODDS || tokensOf(text).length < LEAST_WORDS) return null;
  // A sentence with words of both is Hindi with English in it.
  const language = DEVANAGARI.test(text) ? 'hi' : identified.language;
  return languages.find((one) => one === language) ?? null;
}
