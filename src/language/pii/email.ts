import { fold, LANGUAGE_WORDS } from '../text/index.ts';
import type { PiiFinding } from './finding.ts';
import { DIGITS } from './lexicon.ts';
import { isNumberWord as isLargeNumberWord } from './number-words.ts';

/** The pattern is anchored and bounded, so that it scans a long word without an at sign only once. */
const WRITTEN =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}\s?@\s?[\p{L}\p{N}-]{1,63}(?:\s?\.\s?[\p{L}\p{N}-]{1,63}){0,8}\s?\.\s?\p{L}{2,24}/gu;
const AT =
  '(?<=^|[\\s,])(?:at(?:\\s(?:the\\srate(?:\\sof)?|sign|symbol))?|ät|arroba|arr?obase|a\\scommercial|chiocciola|klammeraffe|apenstaartje|[एऐ]ट(?:\\sद\\sरेट)?)\\s+';
const NAME = '[\\p{L}\\p{N}-]{1,63}';
const LABEL = `(?:[\\p{L}\\p{N}]\\s+){0,20}${NAME}(?:\\s+(?:dash|hyphen|minus|guion|guión|tiret|strich|bindestrich|trattino|hífen|traço|streepje|koppelteken|डैश|हाइफ़न)\\s+${NAME}){0,3}`;
const SAID_DOT = '\\s(?:dot|point|punto|ponto|punkt|punt|डॉट)\\s';
const END = '(?![\\p{L}\\p{N}])';
/** The pattern finds `at gmail dot com`, `at gmail.com`, `arroba gmail punto com`. */
const SAID_DOMAIN = new RegExp(
  `${AT}((?:${LABEL}\\s*(?:\\.|${SAID_DOT})\\s*){1,8}(?:com|net|org|edu|gov|io|co|us|uk|de|fr|es|it|pt|nl|in|ca|au|me|info|biz|mail|email|dev|app|ai))${END}`,
  'giu',
);
/** Any ending counts where the local part, a provider or the context indicates an address. A dot must not end a sentence. */
const SAID_ANY_DOMAIN = new RegExp(
  `${AT}((?:${LABEL}(?:\\.|${SAID_DOT}\\s*)){1,8}\\p{L}{2,24})${END}(?![%_+-]|\\s?@)`,
  'giu',
);
/** A provider's name suffices where recognition missed the dot. */
const SAID_PROVIDER = new RegExp(
  `${AT}((?:gmail|googlemail|yahoo|outlook|hotmail|icloud|aol|protonmail)\\s+(?:com|net))${END}`,
  'giu',
);
const WRITTEN_HOST = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?![\p{L}\p{N}@])/gu;
const PROVIDERS =
  /^(gmail|googlemail|yahoo|outlook|hotmail|icloud|aol|proton(mail)?|live|msn|comcast|verizon|gmx|web|orange|libero|mail|me)\b/iu;
const CONTEXT = /\be-?\s?mail|mail\s+address|correo|courriel|adresse|posta|endereço|ईमेल/iu;
const CONTEXT_WINDOW = 100;
/** A bare "at" is also an English preposition; "at the rate" and other languages' words for the sign are not. */
const MAY_BE_PREPOSITION = /^at\s(?!(?:the\srate|sign|symbol)\s)/iu;
/** These words mostly mean "less". */
const NOT_SIGNS: ReadonlySet<string> = new Set(['min', 'meno', 'menos']);
const JOINERS: ReadonlySet<string> = new Set([
  'plus',
  'guion medio',
  'punt',
  ...Object.values(LANGUAGE_WORDS).flatMap(({ spelling: { dot, dash, underscore } }) =>
    [...dot, ...dash, ...underscore].filter((sign) => !NOT_SIGNS.has(sign)),
  ),
]);
const LONGEST_JOINER = 3;
/** Before digits or a letter, such a word leads to the address and is not its beginning. */
const LEADS_TO: ReadonlySet<string> = new Set(
  (
    'is it its to at the a an and or of on in by my address email mail es esta a al y o de del mi correo est c au et ou du mon adresse ' +
    'ist und oder an mein die e ed il la mia posta per o os um para meu endereco en of naar aan mijn adres है पर और मेरा मेल ईमेल'
  )
    .split(' ')
    .map(fold),
);
const INITIAL = /^[^aeiouyàáâèéêíìóòúù\P{L}]$/iu;
const LOCAL_TOKEN = /[\p{L}\p{M}\p{N}._%+'-]+/gu;
const MAX_LOCAL_TOKENS = 40;

interface Local {
  readonly start: number;
  /** A name of several parts, letters or digits does not precede a place. */
  readonly composed: boolean;
  readonly joined: boolean;
}

function joinerBefore(tokens: readonly RegExpExecArray[], at: number): number {
  for (let length = Math.min(LONGEST_JOINER, at - 1); length > 0; length -= 1) {
    const words = tokens.slice(at - length, at).map(([word]) => fold(word));
    if (JOINERS.has(words.join(' ').replace(/['’]/gu, ' '))) return length;
  }
  return 0;
}

const isSpelled = (token: string): boolean =>
  [...token].length === 1 || /^(et|\d+)$/.test(token) || token.split('-').every(isNumberWord);

/** The name before `at` is one word, or more when joined by `dot` and the like, or spelled out. */
function localBefore(text: string, end: number): Local | null {
  const tokens = [...text.slice(Math.max(0, end - 400), end).matchAll(LOCAL_TOKEN)];
  const base = Math.max(0, end - 400);
  let at = tokens.length - 1;
  if (at < 0) return null;
  let composed = false;
  for (let taken = 1; at > 0 && taken < MAX_LOCAL_TOKENS; taken += 1) {
    const here = tokens[at]?.[0] as string;
    const before = tokens[at - 1]?.[0] as string;
    const joiner = joinerBefore(tokens, at);
    if (joiner > 0) at -= joiner + 1;
    else if (isSpelled(here) && isSpelled(before)) at -= 1;
    else if (isInitial(tokens[at - 1] as RegExpExecArray)) at -= 1;
    else if (isNumeric(here) && !LEADS_TO.has(fold(before))) at -= 1;
    else break;
    composed = true;
  }
  const first = tokens[at] as RegExpExecArray;
  const joined = composed || /\p{L}[._+]\p{L}/u.test(first[0]);
  composed ||= /[._%+\d-]/.test(first[0]);
  return { start: base + first.index, composed, joined };
}

/** The letter of "d'abord" and "it’s" is none. */
const isInitial = ({ 0: token, index, input }: RegExpExecArray): boolean =>
  INITIAL.test(token) && /^\s?$/u.test(input.charAt(index - 1));

const isNumeric = (token: string): boolean => /^\d+$/.test(token) || isNumberWord(token);

const hasContext = (text: string, start: number): boolean =>
  CONTEXT.test(text.slice(Math.max(0, start - CONTEXT_WINDOW), start));

const isNumber = (domain: string): boolean =>
  domain.split(/[\s.]+/u).some((word, at, words) => at >= words.length - 3 && isNumberWord(word));

function isNumberWord(word: string): boolean {
  const said = word.normalize('NFC').toLowerCase();
  return DIGITS.has(said) || isLargeNumberWord(said);
}

export function emailFindings(text: string): readonly PiiFinding[] {
  const findings: PiiFinding[] = [];
  for (const match of text.matchAll(WRITTEN)) {
    findings.push({ type: 'EMAIL', start: match.index, end: match.index + match[0].length });
  }
  for (const match of text.matchAll(WRITTEN_HOST)) {
    if (hasContext(text, match.index))
      findings.push({ type: 'EMAIL', start: match.index, end: match.index + match[0].length });
  }
  const said = (domains: RegExp, isAddress: (local: Local, domain: string) => boolean) => {
    for (const match of text.matchAll(domains)) {
      const local = localBefore(text, match.index);
      const isSign = domains === SAID_DOMAIN && !MAY_BE_PREPOSITION.test(match[0]);
      if (local && (isSign || isAddress(local, match[1] as string)))
        findings.push({ type: 'EMAIL', start: local.start, end: match.index + match[0].length });
    }
  };
  said(
    SAID_DOMAIN,
    (local, domain) => local.composed || PROVIDERS.test(domain) || hasContext(text, local.start),
  );
  said(
    SAID_ANY_DOMAIN,
    (local, domain) => !isNumber(domain) && (local.joined || hasContext(text, local.start)),
  );
  said(SAID_PROVIDER, () => true);
  return findings;
}
