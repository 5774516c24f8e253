import {
  type AgentLanguage,
  intentOf,
  LANGUAGE_WORDS,
  phraseAt,
  plainText,
  tokensOf,
} from '../../language/text/index.ts';
import type { When } from './schema.ts';

/** What callers want in every flow, told without a model. */
export const KNOWN_INTENTS = {
  wants_person: ['hand_over'],
  wants_to_stop: ['end', 'stop'],
  wants_repeat: ['repeat'],
} as const;

const known = (name: string): readonly string[] =>
  Object.hasOwn(KNOWN_INTENTS, name) ? KNOWN_INTENTS[name as keyof typeof KNOWN_INTENTS] : [];

/** How far before a phrase a negation counts: "I do not want to cancel". */
const NEGATES_WITHIN = 4;

/** Whether the caller's words say the intent of an edge by themselves. */
export function says(text: string, when: When, language: string): boolean {
  const spoken = language as AgentLanguage;
  const intent = intentOf(text, spoken);
  if (intent !== null && known(when.intent ?? '').includes(intent)) return true;
  const { phrases } = when;
  if (phrases === undefined) return false;
  const tokens = tokensOf(plainText(text));
  const wanted = phrases.map((phrase) =>
    tokensOf(plainText(phrase))
      .map((token) => token.text)
      .join(' '),
  );
  const { negation } = LANGUAGE_WORDS[spoken].consent;
  return tokens.some((_, at) => {
    if (phraseAt(tokens, at, wanted) === 0) return false;
    const before = Math.max(0, at - NEGATES_WITHIN);
    return !tokens
      .slice(before, at)
      .some((_token, offset) => phraseAt(tokens, before + offset, negation) > 0);
  });
}
