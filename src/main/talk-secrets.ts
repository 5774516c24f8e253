import { type Entity, type Finding, namesCard, scan, unsettledSpans } from '../pii/index.ts';
import { KEYPAD } from '../session/index.ts';

/** What a language model has no need to see. E-mail addresses and telephone numbers are not among them: most errands are about
 * those. */
const SECRETS: readonly Entity[] = ['CARD', 'CVV', 'SSN'];
/** Fewer digits say little of a card. */
const FEWEST_DIGITS_OF_A_CARD = 4;
/** How many messages back it may have been said that a card's number comes now. */
const CARD_REACH = 4;

export interface Secret {
  readonly type: Entity;
  /** Where it is in its own text. */
  readonly start: number;
  readonly end: number;
  /** All of it, where it goes on in the next texts. */
  readonly whole: string;
}

interface Piece {
  readonly index: number;
  /** Where the text begins in the joined one, less what was left out at its head. */
  readonly start: number;
  readonly end: number;
  readonly leftOut: number;
}

/** Of texts that follow each other, the secrets in each. They are read as one talk, so that a question gives an answer its
 * sense, and the caller's alone as well: whatever is said in between, four digits a turn are one number. */
export function secretsOf(texts: readonly string[], callers: readonly boolean[]): Secret[][] {
  const found: Secret[][] = texts.map(() => []);
  const all = join(texts, () => true);
  const caller = join(texts, (index) => callers[index] ?? false);
  share(all.text, all.pieces, scan(all.text, SECRETS), found);
  share(caller.text, caller.pieces, scan(caller.text, SECRETS), found);
  share(caller.text, caller.pieces, begunCards(texts, caller.text), found);
  return found.map(withoutOverlaps);
}

function join(
  texts: readonly string[],
  taken: (index: number) => boolean,
): { text: string; pieces: Piece[] } {
  let text = '';
  const pieces: Piece[] = [];
  texts.forEach((part, index) => {
    if (!taken(index)) return;
    if (text !== '') text += ' ';
    const leftOut = part.startsWith(KEYPAD) ? KEYPAD.length : 0;
    const start = text.length;
    text += part.slice(leftOut);
    pieces.push({ index, start, end: text.length, leftOut });
  });
  return { text, pieces };
}

/** Gives each text its part of each finding. */
function share(
  text: string,
  pieces: readonly Piece[],
  findings: readonly Finding[],
  found: Secret[][],
): void {
  for (const { type, start, end } of findings) {
    for (const piece of pieces) {
      if (start >= piece.end || piece.start >= end) continue;
      found[piece.index]?.push({
        type,
        start: Math.max(start, piece.start) - piece.start + piece.leftOut,
        end: Math.min(end, piece.end) - piece.start + piece.leftOut,
        whole: text.slice(start, end),
      });
    }
  }
}

/** Digits at the end of what the caller has said, where it was just said that they are a card's: the rest comes next turn. */
function begunCards(texts: readonly string[], caller: string): Finding[] {
  if (!texts.slice(-CARD_REACH).some(namesCard)) return [];
  return unsettledSpans(caller)
    .filter(({ end }) => /^[\s.,]*$/.test(caller.slice(end)))
    .filter(({ start, end }) => digitCount(caller.slice(start, end)) >= FEWEST_DIGITS_OF_A_CARD)
    .map(({ start, end }) => ({ type: 'CARD' as const, start, end }));
}

/** Digits, or the words that stand for them. */
const digitCount = (text: string): number =>
  text
    .split(/[\s,.-]+/)
    .reduce((sum, word) => sum + (/\d/.test(word) ? word.replace(/\D/g, '').length : 1), 0);

/** In order; of two that overlap the one that is longer as a whole says what it is. */
function withoutOverlaps(secrets: readonly Secret[]): Secret[] {
  const kept: Secret[] = [];
  const byWeight = [...secrets].sort((a, b) => b.whole.length - a.whole.length);
  for (const secret of byWeight)
    if (!kept.some((other) => secret.start < other.end && other.start < secret.end)) kept.push(secret);
  return kept.sort((a, b) => a.start - b.start);
}
