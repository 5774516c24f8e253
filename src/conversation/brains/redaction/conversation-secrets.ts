import { createHash } from 'node:crypto';
import {
  codesIn,
  digitsIn,
  incompleteSpans,
  namesCard,
  type PiiEntity,
  type PiiFinding,
  scanForPii,
} from '../../../language/pii/index.ts';
import { KEYPAD } from '../contract.ts';

/**
 * Language models do not need these. E-mail addresses and telephone numbers are not among them, because most
 * calls are about those.
 */
const SECRETS: readonly PiiEntity[] = ['CARD', 'CVV', 'SSN'];
/** Fewer digits say little of a card. */
const FEWEST_DIGITS_OF_A_CARD = 4;
/** How many messages back it may have been said that a card's number comes now. */
const CARD_WINDOW_TURNS = 4;

/** How far behind a card its code may come is counted in messages here, not in characters. */
const secretsIn = (text: string) => scanForPii(text, SECRETS, { cardCodes: false });

export interface Secret {
  readonly type: PiiEntity;
  /** The offset counts within the entity's own text. */
  readonly start: number;
  readonly end: number;
  /** All of it, where it goes on in the next texts. */
  readonly whole: string;
}

/** Only the ends of a longer text are read together with its neighbours: a number, and what says whose it is. */
const LONG_CHARACTERS = 600;
const END_CHARACTERS = 240;
/** This separator replaces the middle, so that no number continues across it. */
const LEFT_OUT = ' | ';

interface Piece {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  /** The offset counts within its own text. */
  readonly from: number;
}

/**
 * Finds the secrets in each of consecutive texts. They are read as one conversation, so that a question gives
 * its answer meaning, and the caller's texts also alone: four digits per turn form one number, whatever is said
 * in between.
 */
export function findSecrets(texts: readonly string[], callers: readonly boolean[]): Secret[][] {
  const found: Secret[][] = texts.map(() => []);
  const all = join(texts, () => true);
  const caller = join(texts, (index) => callers[index] ?? false);
  texts.forEach((text, index) => {
    if (text.length <= LONG_CHARACTERS) return;
    for (const { type, start, end } of scanLong(text))
      found[index]?.push({ type, start, end, whole: text.slice(start, end) });
  });
  share(all.text, all.pieces, secretsIn(all.text), found);
  share(caller.text, caller.pieces, secretsIn(caller.text), found);
  share(caller.text, caller.pieces, begunCards(texts, caller.text), found);
  share(all.text, all.pieces, cardCodes(all, found), found);
  return found.map(withoutOverlaps);
}

const MAX_CACHED_SCANS = 512;
/** Where the secrets of long texts are, by the texts' digests: each question has all those of the questions before it. Oldest first. */
const scans = new Map<string, readonly PiiFinding[]>();

function scanLong(text: string): readonly PiiFinding[] {
  const digest = createHash('sha256').update(text).digest('base64');
  const findings = scans.get(digest) ?? secretsIn(text);
  scans.delete(digest);
  scans.set(digest, findings);
  if (scans.size > MAX_CACHED_SCANS) scans.delete(scans.keys().next().value as string);
  return findings;
}

interface JoinedConversation {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

function join(texts: readonly string[], taken: (index: number) => boolean): JoinedConversation {
  let text = '';
  const pieces: Piece[] = [];
  texts.forEach((part, index) => {
    if (!taken(index)) return;
    const add = (from: number, to: number, between: string): void => {
      if (text !== '') text += between;
      pieces.push({ index, start: text.length, end: text.length + to - from, from });
      text += part.slice(from, to);
    };
    const head = part.startsWith(KEYPAD) ? KEYPAD.length : 0;
    if (part.length <= LONG_CHARACTERS) {
      add(head, part.length, ' ');
    } else {
      add(head, END_CHARACTERS, ' ');
      add(part.length - END_CHARACTERS, part.length, LEFT_OUT);
    }
  });
  return { text, pieces };
}

/** Gives each text its part of each finding. */
function share(
  text: string,
  pieces: readonly Piece[],
  findings: readonly PiiFinding[],
  found: Secret[][],
): void {
  for (const { type, start, end } of findings) {
    for (const piece of pieces) {
      if (start >= piece.end || piece.start >= end) continue;
      found[piece.index]?.push({
        type,
        start: Math.max(start, piece.start) - piece.start + piece.from,
        end: Math.min(end, piece.end) - piece.start + piece.from,
        whole: text.slice(start, end),
      });
    }
  }
}

/** Digits at the end of what the caller has said, where it was just said that they are a card's: the rest comes next turn. */
function begunCards(texts: readonly string[], caller: string): PiiFinding[] {
  if (!texts.slice(-CARD_WINDOW_TURNS).some(namesCard)) return [];
  return incompleteSpans(caller)
    .filter(({ end }) => /^[\s.,]*$/.test(caller.slice(end)))
    .filter(({ start, end }) => digitsIn(caller.slice(start, end)).length >= FEWEST_DIGITS_OF_A_CARD)
    .map(({ start, end }) => ({ type: 'CARD' as const, start, end }));
}

/** How many messages behind a card's number its code may come. */
const CODE_MESSAGES = 6;

/** Three or four digits that are called a code, behind a card's number. */
function cardCodes(
  { text, pieces }: JoinedConversation,
  found: readonly (readonly Secret[])[],
): readonly PiiFinding[] {
  const cards = found.flatMap((secrets, index) =>
    secrets.filter(({ type }) => type === 'CARD').map(({ end }) => ({ index, end })),
  );
  if (cards.length === 0) return [];
  const isBehindCard = (at: number): boolean => {
    const piece = pieces.find(({ start, end }) => start <= at && at < end);
    if (piece === undefined) return false;
    const own = at - piece.start + piece.from;
    return cards.some(
      ({ index, end }) =>
        (index === piece.index && end <= own) ||
        (index < piece.index && piece.index - index <= CODE_MESSAGES),
    );
  };
  return codesIn(text).filter(({ start }) => isBehindCard(start));
}

/** The result is in order; of two that overlap the longer one remains. */
function withoutOverlaps(secrets: readonly Secret[]): Secret[] {
  const retained: Secret[] = [];
  const byWeight = [...secrets].sort((a, b) => b.whole.length - a.whole.length);
  for (const secret of byWeight)
    if (!retained.some((other) => secret.start < other.end && other.start < secret.end))
      retained.push(secret);
  return retained.sort((a, b) => a.start - b.start);
}
