import { languageAskedFor, tokensOf } from '../../language/text/index.ts';
import type { CallerUtterance } from '../session/index.ts';
import type { ServedLanguage } from './configuration.ts';

export interface LanguageDecision {
  readonly to: ServedLanguage;
  readonly reason: 'detected' | 'asked';
}

/** A shorter utterance or a single word does not count. */
const LEAST_SPOKEN_MS = 900;
const LEAST_WORDS = 2;
/** An utterance of these odds counts by itself; a likely one only together with another. */
const CLEAR_ODDS = 0.9;
const LIKELY_ODDS = 0.7;
/** Two utterances count together where both would be misidentified this rarely. */
const MOST_DOUBT = 0.05 ** 2;
const IN_A_ROW = 2;
/** Hindi speakers mix English into their speech, so a change from Hindi takes more utterances, all of them clear. */
const IN_A_ROW_FROM_HINDI = 4;
const DEVANAGARI = /\p{Script=Devanagari}/u;

interface Run {
  readonly language: ServedLanguage;
  /** The clear utterances in a row. */
  readonly count: number;
  /** The probability that the last utterance was in another language. */
  readonly doubt: number;
}

export class CallerLanguage {
  readonly #languages: () => readonly ServedLanguage[];
  #run: Run | null = null;

  constructor(languages: () => readonly ServedLanguage[]) {
    this.#languages = languages;
  }

  heard(utterance: CallerUtterance, current: ServedLanguage): LanguageDecision | null {
    const languages = this.#languages();
    if (languages.length < 2) return null;
    const asked = languageAskedFor(utterance.text, languages);
    if (asked !== null && asked !== current) return this.#decide({ to: asked, reason: 'asked' });
    const spoken = spokenLanguageOf(utterance, languages);
    if (spoken === null) return null;
    const { language, doubt } = spoken;
    const isClear = doubt <= 1 - CLEAR_ODDS;
    if (language === current) {
      if (isClear) this.#run = null;
      return null;
    }
    const before = this.#run?.language === language ? this.#run : null;
    const isFromHindi = current === 'hi' && language === 'en';
    if (!isClear && (isFromHindi || (before === null && this.#run !== null))) return null;
    const count = (before?.count ?? 0) + Number(isClear);
    const isCertain = before !== null && before.doubt * doubt <= MOST_DOUBT;
    this.#run = { language, count, doubt };
    const isEnough = isFromHindi ? count >= IN_A_ROW_FROM_HINDI : count >= IN_A_ROW || isCertain;
    return isEnough ? this.#decide({ to: language, reason: 'detected' }) : null;
  }

  #decide(decision: LanguageDecision): LanguageDecision {
    this.#run = null;
    return decision;
  }
}

function spokenLanguageOf(
  { text, identified }: CallerUtterance,
  languages: readonly ServedLanguage[],
): Pick<Run, 'language' | 'doubt'> | null {
  if (identified === undefined || identified.spokenMs < LEAST_SPOKEN_MS) return null;
  if (identified.odds < LIKELY_ODDS || tokensOf(text).length < LEAST_WORDS) return null;
  // A sentence with words of both scripts is Hindi with English in it.
  const named = DEVANAGARI.test(text) ? 'hi' : identified.language;
  const language = languages.find((one) => one === named);
  return language === undefined ? null : { language, doubt: 1 - identified.odds };
}
