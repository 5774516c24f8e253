import type { BrainLanguage } from '../contract.ts';
import { sentencesOf } from './words.ts';

/** How a persona speaks of the agent, and how the agent says the same of itself. */
const SELF: Record<BrainLanguage, readonly (readonly [RegExp, string])[]> = {
  en: [
    [/^you are (?=\S)/i, 'I am '],
    [/^your name is (?=\S)/i, 'My name is '],
  ],
  es: [
    [/^(tú )?eres (?=\S)/i, 'Soy '],
    [/^usted es (?=\S)/i, 'Soy '],
    [/^(tu|su) nombre es (?=\S)/i, 'Mi nombre es '],
  ],
  fr: [
    [/^(vous êtes|tu es) (?=\S)/i, 'Je suis '],
    [/^(votre|ton) nom est (?=\S)/i, 'Mon nom est '],
  ],
  de: [
    [/^(sie sind|du bist) (?=\S)/i, 'Ich bin '],
    [/^(ihr|dein) name ist (?=\S)/i, 'Mein Name ist '],
  ],
  hi: [
    [/^(आप|तुम) (?=\S)/u, 'मैं '],
    [/^(आपका|तुम्हारा) नाम (?=\S)/u, 'मेरा नाम '],
  ],
};

/** Sentences that tell the agent how to behave are for it, not for the caller. */
const INSTRUCTION: Record<BrainLanguage, RegExp> = {
  en: /^(you|your|always|never|do not|don't|please|be|answer|speak|say|ask|keep|use|if (the )?(caller|customer|user)|when (the )?(caller|customer|user)|make sure|only|avoid|respond|reply|help|offer|remember|refuse|transfer|end)\b/i,
  es: /^(tú|usted|eres|tu|su|siempre|nunca|no (digas|hables|diga|hable)|por favor|responde|responda|habla|hable|di|diga|pregunta|pregunte|mantén|si (el|la) (cliente|persona)|cuando (el|la) cliente|solo|evita|ayuda|ofrece|recuerda)(?!\p{L})/iu,
  fr: /^(vous|tu|votre|ton|toujours|jamais|ne |n'|répondez|réponds|parlez|parle|dites|dis|demandez|demande|gardez|si le client|quand le client|soyez|sois|évitez|aidez|proposez)(?!\p{L})/iu,
  de: /^(sie|du|ihr|dein|immer|nie(mals)?|bitte|antworte|antworten|sprich|sprechen|sag|sagen|frag|fragen|wenn (der|die) (kunde|anrufer)|sei|seien|vermeide|hilf|helfen)(?!\p{L})/iu,
  hi: /^(आप|तुम|आपका|हमेशा|कभी|कृपया|अगर ग्राहक|यदि ग्राहक|जब ग्राहक)(?![\p{L}\p{M}])/u,
};

/** So are those that keep something back, or speak of callers, wherever the word stands. A sentence too many costs an answer, one
 * too few a confidence. */
const CONFIDENCE: Record<BrainLanguage, readonly string[]> = {
  en: [
    "must(n[’']t| not)|shall not|never|under no circumstances|confidential(ly)?|internal(ly)?|secret|private(ly)?|classified",
    "(do not|don[’']t|not to|avoid|without|refuse to) (tell|say|give|share|reveal|mention|discuss|disclose|offer|promise)\\w*",
    'callers?|agents?|instructions?|reveal|disclose|escalate|pretend|password|passcode|override',
    'tell (them|him|her|people|anyone|nobody|no one)|say that|if (someone|somebody|anyone|anybody|they|you|asked)',
  ],
  es: [
    'nunca|jamás|no deb(e[ns]?|erás?)|confidencial(es)?|intern[oa]s?|secret[oa]s?|contraseñas?|bajo ningun[oa]?',
    'no (se )?(digas?|digan|reveles?|menciones?|compartas?|comentes?|ofrezcas?|des)',
    'llamantes?|agentes?|instrucciones|si alguien|quien llam[ae]|(di|diga) que',
  ],
  fr: [
    'jamais|ne (doi(s|t|vent)|devez)|confidentiel(le)?s?|internes?|secr(et|ète)s?|mots? de passe|en aucun cas',
    'ne (le )?(dites|dis|révél\\w*|mentionn\\w*|partag\\w*|donne[zr]?|propos\\w*)',
    "appelants?|agents?|instructions?|consignes?|si quelqu[’']un|dites que|dis que",
  ],
  de: [
    'nie(mals)?|(darf|dürfen|soll(en|st)?) (\\S+ ){0,3}nicht|vertraulich\\w*|intern(e[nrs]?)?|geheim\\w*|passwor[td]\\w*|unter keinen umständen',
    'verrate\\w*|erwähne\\w*|preisgeben|weitergeben|anrufer\\w*|agent(en)?|anweisung(en)?|(falls|wenn) jemand|sag(en sie)?,? dass',
  ],
  hi: [
    'कभी (न|ना|नहीं|मत)|गोपनीय|आंतरिक|आन्तरिक|गुप्त|पासवर्ड|किसी को (न|ना|नहीं|मत)|मत (बताना|बताएँ|बताओ|कहना)|कॉलर|(अगर|यदि) कोई',
  ],
};

const keepsBack = Object.fromEntries(
  Object.entries(CONFIDENCE).map(([language, words]) => [
    language,
    new RegExp(`(?<![\\p{L}\\p{M}])(${words.join('|')})(?![\\p{L}\\p{M}])`, 'iu'),
  ]),
) as Record<BrainLanguage, RegExp>;

/** What the persona says about the business, which a caller may be told as it stands. */
export const spokenSentences = (persona: string, language: BrainLanguage): string[] =>
  sentencesOf(persona).filter(
    (sentence) => !INSTRUCTION[language].test(sentence) && !keepsBack[language].test(sentence),
  );

/** The persona's first sentence about the agent, said in the first person. */
export function ownName(persona: string, language: BrainLanguage): string | null {
  for (const sentence of sentencesOf(persona)) {
    for (const [pattern, self] of SELF[language]) {
      if (pattern.test(sentence)) return turnHindi(sentence.replace(pattern, self), language);
    }
  }
  return null;
}

/** Hindi carries the person in the verb as well: "आप रिया हैं" is "मैं रिया हूँ". */
const turnHindi = (sentence: string, language: BrainLanguage): string =>
  language === 'hi' && sentence.startsWith('मैं') ? sentence.replace(/ (हैं|हो)(?=[।.!]?$)/u, ' हूँ') : sentence;
