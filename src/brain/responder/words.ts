import type { BrainLanguage } from '../contract.ts';

/** Words that say nothing about the subject of a sentence. */
const STOP_WORDS: Record<BrainLanguage, ReadonlySet<string>> = {
  en: set(
    'a an the and or but if of to in on at for with from by as is are was were be been am do does did have has had can could will would should may might i you he she it we they me him her us them my your his its our their this that these those what which who whom whose when where why how there here not no yes so just please tell know like want need about any some get got let s t d ll m re ve',
  ),
  es: set(
    'un una unos unas el la los las lo y o pero si de del a al en con por para como es son era eran ser soy estar está están estoy hay he ha han puedo puede pueden podría yo tú usted él ella nosotros ustedes ellos me te se nos le les mi tu su sus nuestro este esta estos estas ese esa eso qué que cuál cuáles quién cuándo dónde cómo cuánto por no sí ya muy más favor quiero quisiera saber necesito',
  ),
  fr: set(
    "un une des le la les l d de du et ou mais si à au aux en dans sur avec pour par comme est sont était être suis êtes ai as a avons avez ont peux peut pouvez pourrais je j tu il elle on nous vous ils elles me m te t se s lui leur mon ma mes ton ta tes son sa ses notre votre vos ce cet cette ces c qu que qui quoi quel quelle quels quelles quand où comment combien pourquoi ne n pas non oui y très plus s'il plaît voudrais savoir besoin veux",
  ),
  de: set(
    'ein eine einer eines einem einen der die das den dem des und oder aber wenn von zu zum zur in im an am auf bei mit für aus als wie ist sind war waren sein bin bist habe hat haben hatte kann können könnte ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm mein dein sein unser euer dieser diese dieses was welche welcher wer wann wo warum wieso nicht nein ja so bitte sehr mehr möchte will wissen brauche gibt',
  ),
  hi: set(
    'का की के को से में पर और या लेकिन अगर है हैं था थी थे हूँ हो होना मैं हम आप तुम वह वे यह ये मुझे हमें आपको उसे मेरा मेरी मेरे आपका आपकी आपके अपना अपनी क्या कौन कब कहाँ कहां क्यों कैसे कितना कितने कितनी नहीं हाँ जी कृपया तो भी ही एक कोई कुछ बताइए बताओ चाहिए चाहता चाहती सकता सकती सकते रहा रही रहे ने लिए कर करना करते',
  ),
};

function set(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** Endings taken off so that "opening", "opens" and "opened" meet; the longest that leaves three letters wins. */
const ENDINGS: Record<BrainLanguage, readonly string[]> = {
  en: ['ations', 'ation', 'ings', 'ing', 'edly', 'ies', 'ied', 'ers', 'er', 'ed', 'es', 'ly', 's', 'e', 'y'],
  es: [
    'aciones',
    'ación',
    'amente',
    'mente',
    'ando',
    'iendo',
    'amos',
    'imos',
    'aron',
    'ieron',
    'ados',
    'idos',
    'adas',
    'idas',
    'ado',
    'ido',
    'ada',
    'ida',
    'ar',
    'er',
    'ir',
    'an',
    'en',
    'es',
    'os',
    'as',
    'o',
    'a',
    'e',
    's',
  ],
  fr: [
    'issements',
    'ations',
    'ation',
    'ements',
    'ement',
    'eaux',
    'ées',
    'ées',
    'és',
    'ée',
    'ent',
    'ons',
    'ez',
    'er',
    'ir',
    're',
    'es',
    'é',
    'e',
    's',
    'x',
  ],
  de: [
    'ungen',
    'ung',
    'heiten',
    'heit',
    'keiten',
    'keit',
    'en',
    'ern',
    'er',
    'em',
    'es',
    'et',
    'st',
    'te',
    'n',
    'e',
    's',
    't',
  ],
  hi: ['ियों', 'ाओं', 'ों', 'ें', 'ीं', 'ना', 'ने', 'नी', 'ता', 'ते', 'ती', 'ा', 'े', 'ी', 'ो'],
};

/** Letters, marks and digits in runs; the Devanagari danda and every other sign separates. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

export const wordsOf = (text: string): string[] => text.normalize('NFC').toLowerCase().match(WORD) ?? [];

export function stem(word: string, language: BrainLanguage): string {
  for (const ending of ENDINGS[language]) {
    if (word.endsWith(ending) && word.length - ending.length >= 3) return word.slice(0, -ending.length);
  }
  return word;
}

/** The stems of the words that carry the subject, in order. */
export const contentStems = (text: string, language: BrainLanguage): string[] =>
  wordsOf(text)
    .filter((word) => !STOP_WORDS[language].has(word))
    .map((word) => stem(word, language));

/** Between two sentences; the point of a title or an initial ends none. */
const SENTENCE_BREAK =
  /(?<=[.!?।…])(?<!(?<!\p{L})(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nr|Sr|Sra|Dra|Mme|Mlle|M|Hr|Fr|\p{Lu})\.)\s+(?=[\p{Lu}\p{Lo}\p{N}¿¡"“«(])/u;

/** Sentences of running text; a line break ends one too. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const line of text.split(/\n+/)) {
    for (const part of line.split(SENTENCE_BREAK)) {
      const sentence = part.replace(/^[\s\-*•\d.)]*(?=[\p{L}¿¡"“«])/u, '').trim();
      if (sentence !== '') sentences.push(sentence);
    }
  }
  return sentences;
}
