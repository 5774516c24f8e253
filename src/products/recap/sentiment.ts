import { type AgentLanguage, plainText, tokensOf } from '../../language/text/index.ts';
import type { Conversation } from '../trace/index.ts';
import type { RecapDraft } from './contract.ts';

interface Feelings {
  /** Positive words; an entry of five letters and more matches as a prefix. */
  readonly good: readonly string[];
  readonly bad: readonly string[];
  /** Negations, which turn what follows, or what precedes in languages that negate behind the word. */
  readonly not: readonly string[];
  /** Phrases whose words do not have their usual polarity. */
  readonly idle: readonly string[];
}

const stems = (text: string): string[] =>
  text.split(/\s+/).map((word) => tokensOf(plainText(word))[0]?.text ?? word);
const feelings = (good: string, bad: string, not: string, idle: readonly string[] = []): Feelings => ({
  good: stems(good),
  bad: stems(bad),
  not: stems(not),
  idle: idle.map((phrase) =>
    tokensOf(plainText(phrase))
      .map(({ text }) => text)
      .join(' '),
  ),
});

/** Small lists of words by which callers express how they feel; they miss irony and most implied meaning. */
const FEELINGS: Readonly<Record<AgentLanguage, Feelings>> = {
  en: feelings(
    'thank great good excellent perfect wonderful happy glad pleased helpful lovely nice amazing awesome appreciate love satisfied fantastic brilliant relieved',
    'angry annoy frustrat terrible awful horrible bad worst worse broken useless ridiculous unacceptable disappoint upset complain rude hate wrong problem late waste disgust furious cancel refund unhappy cold leaks leaking fails failed hates lied',
    "not no never don't doesn't didn't isn't wasn't can't won't hardly without",
    ['thank you for calling', 'no problem', 'goodbye', 'good morning', 'good afternoon', 'good evening'],
  ),
  es: feelings(
    'gracias genial bueno buena bien excelente perfect maravillos feliz content encantad amable agradec fantastic satisfech estupend',
    'enfad molest frustr terrible horrible mal malo mala peor roto rota inútil ridícul inacept decepcion queja grosero odio problema tarde asco furios cancel reembols averia',
    'no nunca jamás tampoco ni sin',
    ['buenos días', 'buenas tardes', 'buenas noches'],
  ),
  fr: feelings(
    'merci génial bon bonne bien excellent parfait merveilleu heureu content ravi aimable appréci fantastique satisfait super formidable',
    'fâché fâchée énerv frustr terrible affreu horrible mal mauvais pire cassé inutil ridicul inaccept déçu plain grossier déteste problème retard honte furieu annul rembours panne',
    'pas jamais ni sans aucun',
    ['bien sûr', 'eh bien'],
  ),
  de: feelings(
    'danke toll gut gute super hervorragend perfekt wunderbar glücklich froh zufrieden hilfreich freundlich schön klasse fantastisch prima begeistert',
    'wütend ärger nervt nervig genervt frustr schrecklich furchtbar schlecht schlimm schlimmer kaputt nutzlos lächerlich unverschämt enttäusch beschwer unfreundlich hasse falsch problem verspät sauer kündig erstatt defekt unzufrieden',
    'nicht kein keine keinen nie niemals ohne',
    ['guten tag', 'guten morgen', 'guten abend'],
  ),
  hi: feelings(
    'धन्यवाद शुक्रिया अच्छा अच्छी बढ़िया शानदार खुश बेहतरीन मददगार संतुष्ट पसंद उत्तम',
    'गुस्सा परेशान नाराज़ नाराज खराब ख़राब बेकार बुरा बुरी घटिया शिकायत टूटा गलत ग़लत समस्या देर निराश दिक्कत रिफंड',
    'नहीं मत ना कभी',
  ),
};

const WHOLE = 5;
const isOf = (word: string, stems: readonly string[]): boolean =>
  stems.some((stem) => (stem.length < WHOLE ? word === stem : word.startsWith(stem)));

/** A negation affects this many words around it. */
const WINDOW = 3;

/** The polarity of a text, from -1 to 1; null when no word carries any. */
function feelingOf(text: string, { good, bad, not, idle }: Feelings, behind: boolean): number | null {
  const whole = tokensOf(plainText(text))
    .map(({ text: word }) => word)
    .join(' ');
  const words = idle.reduce((so, phrase) => so.replaceAll(phrase, ''), whole).split(' ');
  let sum = 0;
  let total = 0;
  for (const [at, word] of words.entries()) {
    const says = isOf(word, good) ? 1 : isOf(word, bad) ? -1 : 0;
    if (says === 0) continue;
    const near = words.slice(Math.max(0, at - WINDOW), behind ? at + WINDOW : at);
    sum += near.some((one) => not.includes(one)) ? -says : says;
    total += 1;
  }
  return total === 0 ? null : Math.round((100 * sum) / total) / 100;
}

/** Judges the customer's turns by their words alone. */
export function sentimentByWords(
  { utterances }: Conversation,
  language: AgentLanguage,
): RecapDraft['sentiment'] {
  const times = utterances.flatMap(({ speaker, text, startMs }) => {
    const value =
      speaker === 'agent'
        ? null
        : feelingOf(text, FEELINGS[language], language === 'hi' || language === 'de');
    return value === null ? [] : [{ at_ms: startMs, value }];
  });
  const sum = times.reduce((so, { value }) => so + value, 0);
  return {
    overall: times.length === 0 ? null : Math.round((100 * sum) / times.length) / 100,
    over_time: times,
  };
}
