import { LANGUAGE_WORDS, type LanguageCode, phraseAt, plainText, tokensOf } from '../text/index.ts';
import { isNegated } from './negation.ts';

export function parseAgreement(said: string, language: LanguageCode): 'yes' | 'no' | null {
  const { yes, no, reserved } = LANGUAGE_WORDS[language].consent;
  const tokens = tokensOf(plainText(said));
  const agrees = phraseAt(tokens, 0, yes);
  const declines = phraseAt(tokens, 0, no);
  if (declines > agrees) return 'no';
  const rest = tokens.slice(agrees);
  const negated = isNegated(rest, language);
  if (agrees > 0) return negated || rest.some((_, at) => phraseAt(rest, at, reserved) > 0) ? null : 'yes';
  return negated ? 'no' : null;
}
