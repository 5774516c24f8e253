import type { AgentLanguage } from './contract.ts';
import { fold, phraseAt, plainText, type Token, tokensOf } from './tokens.ts';

const NAMES: Readonly<Record<AgentLanguage, { readonly own: readonly string[]; readonly others: string }>> = {
  en: { own: ['english'], others: 'inglés|anglais|englisch|अंग्रेज़ी|अंग्रेजी|इंग्लिश' },
  es: { own: ['español', 'castellano'], others: 'spanish|espagnol|spanisch|स्पेनिश' },
  fr: { own: ['français'], others: 'french|francés|französisch|फ्रेंच|फ़्रेंच' },
  de: { own: ['deutsch'], others: 'german|alemán|allemand|जर्मन' },
  hi: { own: ['हिंदी', 'हिन्दी'], others: 'hindi' },
};

const REQUESTS = folded(
  // English
  'you speak *|we speak *|you speak in *|we speak in *|you talk in *|we talk in *|speak to me in *|talk to me in *|only speak *|speak * please|to speak *|speak in *|continue in *|go on in *|switch to *|change to *|prefer *|in * please|* please|please in *|do this in *',
  // Spanish
  'habla *|hablas *|hablan *|habla usted *|hablamos *|hablar *|hablar en *|hablamos en *|hablemos *|hablemos en *|hábleme en *|solo hablo *|prefiero *|prefiero en *|cambiar a *|cambiar al *|continuar en *|seguir en *|en * por favor|* por favor|atiende en *',
  // French
  'parlez vous *|vous parlez *|parler *|parler en *|parlons *|parlons en *|parle seulement *|parle que *|préfère *|préfère en *|passer au *|passer à l *|passer en *|continuer en *|en * s il vous plaît|* s il vous plaît|* s il te plaît',
  // German
  'sprechen sie *|auf * bitte|* bitte|* sprechen',
  // Hindi
  '* में बात|* में बोल|* में बोलिए|* में बोलो|* में बताइए|* बोलते|* बोलती|* बोलिए|* बोल सकते|* में बोल सकते|* में कीजिए|* में कृपया|कृपया * में',
);

/** A negated utterance mentions the language without asking for it. */
const NEGATIONS = folded("don't|do not|can't|cannot|not|no|ne|pas|nicht|kein|नहीं").map((one) =>
  one.join(' '),
);
const LEARNING_WORDS = folded('learn|learning|study|aprender|estudiar|apprendre|lernen|सीख')
  .flat()
  .filter((one) => one !== '');
const FILLERS = new Set(folded('in|en|auf|uh|eh|euh|um|ah|hm|hello|hola|bonjour|namaste|में').flat());

const NEGATES_WITHIN = 4;
/** A longer sentence with a language's name is about something else. */
const MOST_TOKENS = 14;

function folded(list: string, ...more: string[]): string[][] {
  return [list, ...more]
    .join('|')
    .split('|')
    .map((phrase) => phrase.split(' ').map((word) => (word === '*' ? word : fold(word))));
}

const byName = new Map<string, AgentLanguage>();
const ownNames = new Set<string>();
for (const [language, { own, others }] of Object.entries(NAMES)) {
  for (const name of [...own, ...others.split('|')]) byName.set(fold(name), language as AgentLanguage);
  for (const name of own) ownNames.add(fold(name));
}

export function languageAskedFor<T extends string>(said: string, languages: readonly T[]): T | null {
  const tokens = tokensOf(plainText(said));
  if (tokens.length > MOST_TOKENS) return null;
  const named = new Set(tokens.flatMap(({ text }) => byName.get(text) ?? []));
  // "Spanish or English?" leaves the choice open.
  if (named.size !== 1) return null;
  const language = languages.find((one) => named.has(one as unknown as AgentLanguage));
  if (language === undefined) return null;
  return tokens.some(({ text }, at) => byName.has(text) && asksAt(tokens, at)) ? language : null;
}

function asksAt(tokens: readonly Token[], name: number): boolean {
  if (tokens.some(({ text }) => LEARNING_WORDS.includes(text))) return false;
  const before = tokens.slice(Math.max(0, name - NEGATES_WITHIN), name);
  if (before.some((_, at) => phraseAt(before, at, NEGATIONS) > 0)) return false;
  const others = tokens.filter((_, at) => at !== name);
  // A name alone is a request only in the language's own form: "¿Español?"
  if (ownNames.has(tokens[name]?.text ?? '') && others.every(({ text }) => FILLERS.has(text))) return true;
  return REQUESTS.some((words) => {
    const from = name - words.indexOf('*');
    return words.every((word, offset) => word === '*' || tokens[from + offset]?.text === word);
  });
}
