import type { BrainLanguage } from '../contract.ts';
import { confidences, keepsSecret } from './confidences.ts';
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

/** What the persona says about the business, which a caller may be told as it stands. */
export function spokenSentences(persona: string, language: BrainLanguage): string[] {
  const sentences = sentencesOf(persona);
  const kept = confidences(sentences, language);
  return sentences.filter((sentence, at) => !INSTRUCTION[language].test(sentence) && !kept[at]);
}

/** How the agent shall behave is no name. */
const NO_NAME = /^you are (to|not|never|allowed|supposed|expected|required|talking|speaking|answering|on) /i;
/** An automated assistant does not call itself a person. */
const CLAIMS_HUMAN =
  /(?<!\p{L})(human[oa]?(?! resources)|humaine?|real person|not (an? )?(robot|bot|machine|ai)|persona (real|de verdad)|vraie personne|mensch|echte person|इंसान)(?![\p{L}\p{M}])/iu;

const isName = (sentence: string, language: BrainLanguage): boolean =>
  !NO_NAME.test(sentence) && !CLAIMS_HUMAN.test(sentence) && !keepsSecret(sentence, language);

/** The persona's first sentence about the agent, said in the first person. */
export function ownName(persona: string, language: BrainLanguage): string | null {
  for (const sentence of sentencesOf(persona)) {
    for (const [pattern, self] of SELF[language]) {
      if (!pattern.test(sentence)) continue;
      // "You are Maya, and you never speak of prices."
      const clause = sentence.replace(/[,;:–—].*$/su, '.');
      const name = [sentence, clause].find((part) => isName(part, language));
      if (name !== undefined) return turnHindi(name.replace(pattern, self), language);
    }
  }
  return null;
}

/** Hindi carries the person in the verb as well: "आप रिया हैं" is "मैं रिया हूँ". */
const turnHindi = (sentence: string, language: BrainLanguage): string =>
  language === 'hi' && sentence.startsWith('मैं') ? sentence.replace(/ (हैं|हो)(?=[।.!]?$)/u, ' हूँ') : sentence;
