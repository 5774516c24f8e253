import type { BrainLanguage } from '../contract.ts';
import type { Mention, Utterance } from './mentions.ts';
import { smallAt } from './numbers.ts';
import { openedName, type Slot } from './slots.ts';
import { type Token, wordAt } from './tokens.ts';

/** What was said without the mentions that a slot has taken. */
export function leftOver({ text, tokens, mentions }: Utterance, free: ReadonlySet<Mention>): string {
  let rest = '';
  let at = 0;
  for (const mention of mentions) {
    if (free.has(mention)) continue;
    rest += `${text.slice(at, tokens[mention.from]?.start ?? at)} `;
    at = tokens[mention.to - 1]?.end ?? at;
  }
  return rest + text.slice(at);
}

const FILLERS: Record<BrainLanguage, RegExp> = {
  en: /^(?:(?:well|yes|yeah|okay|ok|sure|um+|uh+|so|hi|hello|please)[,.]? )+/i,
  es: /^(?:(?:bueno|sí|vale|pues|eh|claro|hola)[,.]? )+/i,
  fr: /^(?:(?:oui|alors|euh|bien|d'accord|bonjour|ben)[,.]? )+/i,
  de: /^(?:(?:ja|also|äh|gut|okay|hallo)[,.]? )+/i,
  hi: /^(?:(?:जी|हाँ|हां|अच्छा|तो)[,.]? )+/u,
};
const NAMED: Record<BrainLanguage, RegExp> = {
  en: /^(?:(?:and )?(?:(?:my|the|our) (?:(?:full|first|last|family|given) )?name(?:'s| is| would be)|i am|i'm|this is|you can call me|call me|(?:it's |it is )?under(?: the name)?(?: of)?)) /i,
  es: /^(?:me llamo|mi nombre (?:completo )?es|soy|a nombre de|el nombre es) /i,
  fr: /^(?:je m'appelle|mon nom (?:complet )?est|je suis|moi c'est|au nom de|le nom est) /i,
  de: /^(?:ich heiße|mein name ist|ich bin|der name ist|auf den namen) /i,
  hi: /^(?:मेरा (?:पूरा )?नाम|नाम|मैं) /u,
};
const IS: Record<BrainLanguage, RegExp> = {
  en: /^(?:it's|it is|that's|that is|it would be|that would be) /i,
  es: /^(?:es|sería) (?:el |la )?/i,
  fr: /^(?:c'est|ce serait) /i,
  de: /^(?:es ist|das ist|das wäre) /i,
  hi: /^(?:यह|वह|ये) /u,
};
/** "I don't know" is no value, nor is a question. */
const NO_ANSWER: Record<BrainLanguage, RegExp> = {
  en: /\?\s*$|^(?:i (?:do not|don't) know|no idea|not sure|i'm not sure|i am not sure|why|what|who|how)\b/i,
  es: /\?\s*$|^(?:no (?:lo )?sé|ni idea|no estoy segur[oa]|por qué|qué|quién|cómo)(?!\p{L})/iu,
  fr: /\?\s*$|^(?:je ne sais pas|je sais pas|aucune idée|pourquoi|quoi|comment)(?!\p{L})/iu,
  de: /\?\s*$|^(?:ich weiß (?:es )?nicht|keine ahnung|warum|was|wie)(?!\p{L})/iu,
  hi: /\?\s*$|(?:पता नहीं|नहीं पता|मालूम नहीं)|^(?:क्यों|क्या|कैसे)(?![\p{L}\p{M}])/u,
};
const NAME_SLOT = /(?<!\p{L})(?:name|nombre|nom|apellido|guest|caller)(?!\p{L})|नाम/iu;
/** What is left hanging where a date or a number was taken out. */
const HANGING =
  /(?:[\s,;:]|(?<=\s)(?:at|on|for|and|by|el|la|las|a|para|y|le|pour|et|à|am|um|für|und|और))+$/iu;

/** What was answered, without what leads to it: "My name is John Smith." */
export function freeText(said: string, slot: Slot, language: BrainLanguage): string | null {
  const plain = said.trim().replace(/\s+/g, ' ');
  if (NO_ANSWER[language].test(plain)) return null;
  const own = new RegExp(
    `^(?:my|the|our|mi|el|la|mon|ma|le|mein|meine) (?:${wordsIn(slot)}) (?:is|es|est|ist) `,
    'iu',
  );
  let text = plain.replace(/[.!?।]+$/u, '').replace(FILLERS[language], '');
  const name = NAME_SLOT.test(`${openedName(slot.name)} ${slot.label}`);
  const leads = [own, ...(name ? [NAMED[language]] : []), IS[language]];
  for (const lead of leads) text = text.replace(lead, '');
  if (language === 'hi' && text !== plain) text = text.replace(/ (?:है|हूँ|हूं)$/u, '');
  text = text
    .replace(HANGING, '')
    .replace(/^[\s,;:]+/, '')
    .replace(/ please$/i, '')
    .trim();
  return text === '' ? null : text;
}

const wordsIn = (slot: Slot): string =>
  [openedName(slot.name), slot.label.replace(/^(your|the|my|su|el|la|votre|le|ihr) /, '')]
    .map((words) => words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|');

/** What may be a code: words without their signs, and letters and digits said one by one joined. */
export function spelledIn(
  { tokens, text }: Utterance,
  free: ReadonlySet<Mention>,
  language: BrainLanguage,
): string[] {
  const words = text
    .split(/[\s,]+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu, ''));
  const joined: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    let code = '';
    for (let next = at; next < tokens.length; ) {
      const piece = pieceAt(tokens, next, text, language, free);
      if (piece === null) break;
      code += piece.text;
      next = piece.to;
      joined.push(code);
    }
  }
  const found = [...joined.reverse(), ...words].filter((candidate) => candidate !== '');
  return [...found, ...found.map((candidate) => candidate.toUpperCase())];
}

function pieceAt(
  tokens: readonly Token[],
  at: number,
  text: string,
  language: BrainLanguage,
  free: ReadonlySet<Mention>,
): { text: string; to: number } | null {
  const word = wordAt(tokens, at);
  const said = text.slice(tokens[at]?.start, tokens[at]?.end);
  const mention = [...free].find(({ kind, from }) => kind === 'number' && from === at);
  if (mention?.kind === 'number' && mention.digits !== null) return { text: mention.digits, to: mention.to };
  if (/^\d+$/.test(word) || /^\p{L}$/u.test(said) || /^[A-Z]{1,4}$/.test(said))
    return { text: said, to: at + 1 };
  const small = smallAt(tokens, at, language);
  return small === null ? null : { text: String(small.value), to: small.to };
}
