import { languageAskedFor, tokensOf } from '../../language/text/index.ts';
import type { CallerUtterance } from '../session/index.ts';
import type { ServedLanguage } from './configuration.ts';

export interface LanguageDecision {
  readonly to: ServedLanguage;
  readonly reason: 'detected' | 'asked';
}

/** A shorter utterance, a single word or a less probable language does not count. */
const LEAST_SPOKEN_MS = 900;
const LEAST_WORDS = 2;
const LEAST_ODDS = 0.9;
const IN_A_ROW = 2;
/** Hindi speakers mix English into their speech, so a change from Hindi takes more utterances. */
const IN_A_ROW_FROM_HINDI = 4;
const DEVANAGARI = /\p{Script=Devanagari}/u;

export class CallerLanguage {
  readonly #languages: () => readonly ServedLanguage[];
  #run: { readonly language: ServedLanguage; readonly count: number } | null = null;

  constructor(languages: () => readonly ServedLanguage[]) {
    this.#languages = languages;
  }

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

function clearLanguageOf(
  { text, identified }: CallerUtterance,
  languages: readonly ServedLanguage[],
): ServedLanguage | null {
  if (identified === undefined || identified.spokenMs < LEAST_SPOKEN_MS) return null;
  if (identified.odds < LEAST_ODDS || tokensOf(text).length < LEAST_WORDS) return null;
  // A sentence with words of both scripts is Hindi with English in it.
  const language = DEVANAGARI.test(text) ? 'hi' : identified.language;
  return languages.find((one) => one === language) ?? null;
}
