import type { Finding } from './finding.ts';
import { DIGITS } from './lexicon.ts';

/** Anchored and bounded: a long word without an at sign is looked at once. */
const WRITTEN =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}\s?@\s?[\p{L}\p{N}-]{1,63}(?:\s?\.\s?[\p{L}\p{N}-]{1,63}){0,8}\s?\.\s?\p{L}{2,24}/gu;
/** `at` and a domain, said: `at gmail dot com`, `at gmail.com`, `arroba gmail punto com`. */
const SAID_DOMAIN =
  /(?<=^|[\s,])(?:at|arroba|arobase|chiocciola|klammeraffe|apenstaartje|एट)\s+((?:[\p{L}\p{N}-]{1,63}\s*(?:\.|\s(?:dot|point|punto|ponto|punkt|punt|डॉट)\s)\s*){1,8}(?:com|net|org|edu|gov|io|co|us|uk|de|fr|es|it|pt|nl|in|ca|au|me|info|biz|mail|email|dev|app|ai))(?![\p{L}\p{N}])/giu;
const PROVIDERS =
  /^(gmail|googlemail|yahoo|outlook|hotmail|icloud|aol|proton(mail)?|live|msn|comcast|verizon|gmx|web|orange|libero|mail|me)\b/iu;
const CONTEXT = /e-?\s?mail|mail\s+address|correo|courriel|adresse|posta|endereço|ईमेल/iu;
const CONTEXT_REACH = 100;
const JOINERS = /^(dot|underscore|dash|hyphen|plus|period|point|punto|ponto|punkt|guion|tiret|minus)$/iu;
const LOCAL_TOKEN = /[\p{L}\p{N}._%+'-]+/gu;
const MAX_LOCAL_TOKENS = 40;

interface Local {
  readonly start: number;
  /** Made of several parts, letters or digits: nobody says that before a place. */
  readonly composed: boolean;
}

const isSpelled = (token: string): boolean =>
  [...token].length === 1 || DIGITS.has(token.toLowerCase()) || /^\d+$/.test(token);

/** How far back the name before `at` goes: one word, more when joined by `dot` and the like, or spelled out. */
function localBefore(text: string, end: number): Local | null {
  const tokens = [...text.slice(Math.max(0, end - 400), end).matchAll(LOCAL_TOKEN)];
  const base = Math.max(0, end - 400);
  let at = tokens.length - 1;
  if (at < 0) return null;
  let composed = false;
  for (let taken = 1; at > 0 && taken < MAX_LOCAL_TOKENS; taken += 1) {
    const here = tokens[at]?.[0] as string;
    const before = tokens[at - 1]?.[0] as string;
    if (JOINERS.test(before) && at >= 2) at -= 2;
    else if (isSpelled(here) && isSpelled(before)) at -= 1;
    else break;
    composed = true;
  }
  const first = tokens[at] as RegExpExecArray;
  composed ||= /[._%+\d-]/.test(first[0]);
  return { start: base + first.index, composed };
}

export function emailFindings(text: string): readonly Finding[] {
  const findings: Finding[] = [];
  for (const match of text.matchAll(WRITTEN)) {
    findings.push({ type: 'EMAIL', start: match.index, end: match.index + match[0].length });
  }
  for (const match of text.matchAll(SAID_DOMAIN)) {
    const local = localBefore(text, match.index);
    if (!local) continue;
    const context = text.slice(Math.max(0, local.start - CONTEXT_REACH), local.start);
    const isAddress = local.composed || PROVIDERS.test(match[1] as string) || CONTEXT.test(context);
    if (isAddress) findings.push({ type: 'EMAIL', start: local.start, end: match.index + match[0].length });
  }
  return findings;
}
