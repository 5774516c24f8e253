import { type ClassifiedAnswer, HEARD } from '../contract.ts';
import { PhraseModel } from '../phrase-model.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { hi } from './hi.ts';
import { HOLD } from './hold.ts';
import { it } from './it.ts';
import { nl } from './nl.ts';
import type { Phrases } from './phrases.ts';
import { pt } from './pt.ts';

const LANGUAGES: readonly Phrases[] = [en, es, fr, de, hi, it, pt, nl];

export type SpokenAnswer = Exclude<ClassifiedAnswer, 'fax'>;
export type AnswerModel = PhraseModel<SpokenAnswer>;
export type HoldModel = PhraseModel<'hold' | 'other'>;

const said = HEARD.filter((answer): answer is SpokenAnswer => answer !== 'fax');

/** One model covers all languages, because few runs of words occur in two of them. */
export function answerModel(): AnswerModel {
  const sentences = said.map((answer) => [answer, LANGUAGES.flatMap((phrases) => phrases[answer])]);
  return new PhraseModel(Object.fromEntries(sentences) as Record<SpokenAnswer, string[]>);
}

export function holdModel(): HoldModel {
  const other = said.flatMap((answer) => LANGUAGES.flatMap((phrases) => phrases[answer]));
  const asks = new Set(HOLD);
  return new PhraseModel({ hold: HOLD, other: other.filter((sentence) => !asks.has(sentence)) });
}
