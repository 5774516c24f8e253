import type { AgentLanguage } from '../text/index.ts';

interface Kind {
  readonly asked: RegExp;
  readonly holds: RegExp;
}

/** `\b` knows only ASCII letters. */
const whole = (...alternatives: string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${alternatives.join('|')})(?![\\p{L}\\p{M}\\p{N}])`, 'iu');

const AMOUNT =
  /[$€£₹]|\d+([.,]\d+)? ?(dollars?|euros?|cents?|pounds?|rupees?|dólares|pesos|roupies|rupias?)|रुपये|रुपए|मुफ़्त|निःशुल्क|(?<!\p{L})(free|gratis|gratuite?s?|kostenlos|no charge|included)(?!\p{L})/iu;
const PHONE = /\+?\d[\d ().-]{6,}\d/u;
const PLACE = whole(
  'street|avenue|road|floor|building|located|address',
  'calle|avenida|plaza|piso|ubicad[oa]s?|dirección',
  'rue|étage|adresse|située?s?',
  'stra(?:ß|ss)e|platz|stock',
  'पता|सड़क|मंज़िल|स्थित',
);
const TIME = whole(
  '\\d{1,2}(?:[:.h]\\d{2})? ?(?:am|pm|a\\.m\\.|p\\.m\\.|uhr|h|heures?|horas?)',
  '\\d{1,2}:\\d{2}',
  '(?:mon|tues|wednes|thurs|fri|satur|sun)days?|noon|midnight',
  'lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|mediodía|medianoche',
  'lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|midi|minuit',
  'montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|mittags?',
  'सोमवार|मंगलवार|बुधवार|गुरुवार|शुक्रवार|शनिवार|रविवार|बजे',
);

const ASKED: Record<AgentLanguage, readonly Kind[]> = {
  en: [
    { asked: /\b(when|hours?|what time|open|close[sd]?)\b/i, holds: TIME },
    { asked: /\b(how much|cost|price[sd]?|fees?|charge)\b/i, holds: AMOUNT },
    { asked: /\b(where|address|located)\b/i, holds: PLACE },
    { asked: /\b(phone|telephone) number\b/i, holds: PHONE },
  ],
  es: [
    { asked: /cuándo|hora|horario|abren|abierto|cierran/i, holds: TIME },
    { asked: /cuánto|cuesta|precio|tarifa|vale/i, holds: AMOUNT },
    { asked: /dónde|dirección|ubicad/i, holds: PLACE },
    { asked: /teléfono/i, holds: PHONE },
  ],
  fr: [
    { asked: /quand|heure|horaire|ouvr|ouvert|ferm/i, holds: TIME },
    { asked: /combien|coûte|prix|tarif/i, holds: AMOUNT },
    { asked: /(?<!\p{L})où(?!\p{L})|adresse|situé/iu, holds: PLACE },
    { asked: /téléphone/i, holds: PHONE },
  ],
  de: [
    { asked: /wann|uhr|öffnungszeit|geöffnet|offen|schließ/i, holds: TIME },
    { asked: /wie ?viel|kostet|preis/i, holds: AMOUNT },
    { asked: /\bwo\b|adresse/i, holds: PLACE },
    { asked: /telefon/i, holds: PHONE },
  ],
  hi: [
    { asked: /कब|समय|बजे|खुल|बंद/u, holds: TIME },
    { asked: /कितने का|कितना|कीमत|दाम|रुपये|शुल्क/u, holds: AMOUNT },
    { asked: /कहाँ|कहां|पता/u, holds: PLACE },
    { asked: /फ़ोन|फोन|नंबर/u, holds: PHONE },
  ],
};

export interface AnswerExpectation {
  readonly holds: readonly RegExp[];
  /** The subject has no words that only state the kind of answer: "how much is a crown" is about a crown. */
  readonly subject: string;
}

export function answerKinds(question: string, language: AgentLanguage): AnswerExpectation {
  const kinds = ASKED[language].filter(({ asked }) => asked.test(question));
  const phrasesGone = kinds.reduce(
    (text, { asked }) =>
      text.replace(new RegExp(asked.source, `${asked.flags}g`), (found) =>
        found.includes(' ') ? ' ' : found,
      ),
    question,
  );
  const subject = phrasesGone
    .split(/\s+/)
    .filter((word) => !kinds.some(({ asked }) => asked.test(word)))
    .join(' ');
  return { holds: kinds.map(({ holds }) => holds), subject };
}
