import type { BrainLanguage } from '../contract.ts';
import { bareText } from './intents.ts';

const letter = '[\\p{L}\\p{M}\\p{N}]';
const whole = (...alternatives: string[]): RegExp =>
  new RegExp(`(?<!${letter})(?:${alternatives.join('|')})(?!${letter})`, 'iu');

/** What says that somebody does not want it. */
const NEGATION: Record<BrainLanguage, RegExp> = {
  en: whole(
    "(?:do|does|did|would|wo|ca|should|could|is|are|was|have|has|had|must|need)n'?t",
    'not|never|neither|nor|without|no longer|no need|cannot|no more|rather than|instead of',
    '(?<=\\S\\s)no',
  ),
  es: whole('no|nunca|jamás|tampoco|sin|ni|en vez de|en lugar de'),
  fr: whole("pas|jamais|sans|ni|plus besoin|ne|n'\\S*|aucune?|au lieu de"),
  de: whole('nicht|nie|niemals|kein|keine|keinen|keinem|keiner|ohne|statt'),
  hi: whole('नहीं|मत|न|ना|बिना|बजाय'),
};
/** "Why don't you", "can't you": asks for it. */
const POLITE: Record<BrainLanguage, RegExp> = {
  en: /\b(why (don't (you|we|i)|not)|(can|could|would|won)('t|n't| not) (you|we|i)|(don't|not) forget to|if not)\b/giu,
  es: /(?<!\p{L})(por qué no|no (me )?(podría|puede|podrías|puedes)|si no le importa|no olvide)(?!\p{L})/giu,
  fr: /(?<!\p{L})(pourquoi pas|ne (pourriez|pouvez|peux|pourrais)[- ](vous|tu) pas|n'oubliez pas( de)?)(?!\p{L})/giu,
  de: /(?<!\p{L})(warum nicht|(können|könnten) sie nicht|vergessen sie nicht)(?!\p{L})/giu,
  hi: /क्यों (नहीं|न)/gu,
};

export const isNegated = (clause: string, language: BrainLanguage): boolean =>
  NEGATION[language].test(bareApostrophes(clause).replace(POLITE[language], ' '));

const bareApostrophes = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('’', "'");

/** What opens a question that wants to be told something. */
const LEAD =
  '(?:(?:so|and|but|well|okay|ok|um|uh|hello|hi|excuse me|y|pero|bueno|hola|et|mais|alors|bonjour|und|aber|hallo|नमस्ते|और|तो|अच्छा) )*';
const QUESTION: Record<BrainLanguage, RegExp> = {
  en: new RegExp(
    `^${LEAD}(?:how|what|what's|when|where|why|who|whose|which|is|are|was|were|do|does|did|has|have|had|should|am|tell me (?:how|what|when|where|why|who|if|whether)|(?:i )?wonder|i(?:'m| am) (?:wondering|curious))\\b`,
  ),
  es: new RegExp(
    `^${LEAD}(?:cómo|como se|qué|cuándo|dónde|por qué|quién|cuál|cuáles|cuánto|cuántos|cuánta|cuántas|a qué|es|son|está|están|hay|tienen|dígame (?:cómo|qué|cuándo|dónde))(?!\\p{L})`,
    'u',
  ),
  fr: new RegExp(
    `^${LEAD}(?:comment|que|qu'est-ce|quoi|quand|où|pourquoi|qui|quel|quelle|quels|quelles|combien|à quelle|est-ce que|est-ce|avez-vous|c'est|dites-moi (?:comment|quand|où|ce))(?!\\p{L})`,
    'u',
  ),
  de: new RegExp(
    `^${LEAD}(?:wie|was|wann|wo|warum|wieso|wer|welche[rs]?|ist|sind|haben|gibt|kostet)(?!\\p{L})`,
    'u',
  ),
  hi: /(?<![\p{L}\p{M}])(कैसे|कब|कहाँ|कहां|क्यों|कौन|कितना|कितनी|कितने|किस)(?![\p{L}\p{M}])|(?<![\p{L}\p{M}])क्या (है|हैं|होता|होती)|^क्या (?!.*(सकते|सकती|सकता|दीजिए|देंगे|करेंगे))/u,
};
/** Asks how it is done, which no tool tells. */
const HOW_TO: Record<BrainLanguage, RegExp> = {
  en: new RegExp(
    `^${LEAD}(?:(?:tell me )?how (?:do|does|did|can|could|would|should|to|is|are)|why|what (?:happens|if)|should|what do i (?:need|have))\\b`,
  ),
  es: new RegExp(`^${LEAD}(?:cómo|como se|por qué|qué pasa)(?!\\p{L})`, 'u'),
  fr: new RegExp(`^${LEAD}(?:comment|pourquoi|que se passe)(?!\\p{L})`, 'u'),
  de: new RegExp(`^${LEAD}(?:wie (?:kann|storniere|mache|geht)|warum|wieso)(?!\\p{L})`, 'u'),
  hi: /(?<![\p{L}\p{M}])(कैसे|क्यों)(?![\p{L}\p{M}])/u,
};
/** Asks for it to be done, even where it sounds like a question. */
const REQUEST: Record<BrainLanguage, RegExp> = {
  en: /(?<!\b(?:how|why|what|when|where|which|who)\b[^,.?!]*)(\b(?:can|could|would|will) (?:you|i|we)\b)|\bplease\b|\b(?:i|we)(?:'d| would) (?:like|love) to\b|\b(?:i|we) (?:want|need|wish) (?:to|you to|an?)\b/,
  es: /(?<!\b(?:cómo|cuándo|dónde|qué|cuál|cuánto) )(?<!\p{L})(?:puede|podría|podrías|puedes|me gustaría|quiero|quisiera|necesito)(?!\p{L})|por favor/u,
  fr: /(?<!(?:comment|quand|où|que|qui|combien) )(?<!\p{L})(?:pouvez-vous|pourriez-vous|peux-tu|pourrais-tu|je voudrais|j'aimerais|je veux|je souhaite)(?!\p{L})|s'il (?:vous|te) plaît/u,
  de: /(?<!(?:wie|wann|wo|was) )(?<!\p{L})(?:können sie|könnten sie|kannst du|ich möchte|ich will|ich würde)(?!\p{L})|(?<!\p{L})bitte(?!\p{L})/u,
  hi: /कृपया|(कर|बना|बता) (सकते|सकती|दीजिए|दो)|चाहता|चाहती|दीजिए|करना है|करनी है/u,
};

export interface Wanted {
  /** What of it may ask for something to be done. */
  readonly request: string;
  /** What of it asks to be told something: only what looks things up answers that. */
  readonly question: string;
  /** What the caller does not want. */
  readonly declined: string;
}

const CLAUSE =
  /[,;:.!?¿¡।…]+|(?<=\s)(?:but|pero|sino|mais|aber|sondern|लेकिन|मगर)(?=\s)|(?<=\s)(?=(?:without|instead of|rather than|sin|en vez de|sans|au lieu de|ohne|statt)\s)/u;

/** The part of the sentence that stands around a place in it. */
export function clauseAround(text: string, start: number, language: BrainLanguage): string {
  let from = 0;
  for (const clause of text.split(CLAUSE)) {
    const at = text.indexOf(clause, from);
    from = at + clause.length;
    // Hindi negates behind, the others before.
    if (start < from) return language === 'hi' ? clause : text.slice(at, Math.max(at, start));
  }
  return '';
}

/** Parts what was said by what the caller wants with it. */
export function wantedIn(said: string, language: BrainLanguage): Wanted {
  const clauses = said
    .normalize('NFC')
    .replace(/(?<=\s[ap])\.\s?m\.?/gi, 'm')
    .replace(/(?<=\d)[.,:](?=\d)/g, ' ')
    .split(CLAUSE)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
  const request: string[] = [];
  const question: string[] = [];
  const declined: string[] = [];
  let asking = false;
  for (const clause of clauses) {
    const bare = bareText(bareApostrophes(clause).replace(POLITE[language], ' '));
    const asks = QUESTION[language].test(bare);
    // "How do I cancel, please": "please" makes no order of it. What a question goes on with belongs to it.
    const howTo = HOW_TO[language].test(bare);
    const begs = REQUEST[language].test(bare);
    if (isNegated(clause, language)) declined.push(clause);
    else if (howTo && !begsBeyond(bare, language)) asking = true;
    else if (asks && !begs) {
      question.push(clause);
      asking = true;
    } else if (asking && !begs) question.push(clause);
    else request.push(clause);
  }
  return { request: request.join(', '), question: question.join(', '), declined: declined.join(', ') };
}

/** "How does it work, and can you book one": a request of its own behind the question. */
const begsBeyond = (bare: string, language: BrainLanguage): boolean =>
  language === 'en' && /\band (?:can|could|would|will) you\b/.test(bare);
