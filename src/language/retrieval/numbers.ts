import { type AgentLanguage, fold, numberLexicon } from '../text/index.ts';

/** Letters, or digits: "10x20" and "6am" are said in more than one word. */
const PIECE = /[\p{L}\p{M}]+|\p{N}+/gu;
/** "One" is a pronoun more often than a number. */
const LEAST = 2;
const [TENS_FROM, TENS_TO] = [20, 90];

export function withDigits(text: string, language: AgentLanguage): string {
  const { small } = numberLexicon(language);
  const out: string[] = [];
  let tens = 0;
  for (const piece of text.normalize('NFC').toLowerCase().match(PIECE) ?? []) {
    const value = small.get(fold(piece));
    if (value === undefined || (value < LEAST && tens === 0)) {
      out.push(piece);
      tens = 0;
    } else if (tens > 0 && value > 0 && value < 10) {
      out.splice(-1, 1, String(tens + value));
      tens = 0;
    } else {
      out.push(String(value));
      tens = value % 10 === 0 && value >= TENS_FROM && value <= TENS_TO ? value : 0;
    }
  }
  return out.join(' ');
}
