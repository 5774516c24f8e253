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
    for (const { type, start, end } of scanSecrets(text))
      found[index]?.push({ type, start, end, whole: text.slice(start, end) });
  });
  share(all.text, all.pieces, scanBlocks(all, scanSecrets), found);
  share(caller.text, caller.pieces, scanBlocks(caller, scanSecrets), found);
  share(caller.text, caller.pieces, begunCards(texts, caller.text), found);
  share(all.text, all.pieces, cardCodes(all, found), found);
  return found.map(withoutOverlaps);
}

type Scan = (text: string) => readonly PiiFinding[];

const MAX_CACHED_SCANS = 4096;

/** Remembers what was found, by the texts' digests: each question has all the texts of the questions before it. */
function cached(scan: Scan): Scan {
  /** Oldest first. */
  const scans = new Map<string, readonly PiiFinding[]>();
  return (text) => {
    const digest = createHash('sha256').update(text).digest('base64');
    const findings = scans.get(digest) ?? scan(text);
    scans.delete(digest);
    scans.set(digest, findings);
    if (scans.size > MAX_CACHED_SCANS) scans.delete(scans.keys().next().value as string);
    return findings;
  };
}

const scanSecrets = cached(secretsIn);
const scanCodes = cached(codesIn);

interface JoinedConversation {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** A block is scanned by itself, with as much of its neighbours as a number and what is said around it take. */
const BLOCK_CHARACTERS = 600;
const NEIGHBOUR_CHARACTERS = 400;

/** Scans a conversation in blocks of whole pieces. A question adds to the last ones, so that all others are in the cache, and the work
 * for a question does not grow with the conversation. */
function scanBlocks({ text, pieces }: JoinedConversation, scan: Scan): readonly PiiFinding[] {
  const findings: PiiFinding[] = [];
  let from = 0;
  pieces.forEach(({ end }, at) => {
    const isLast = at === pieces.length - 1;
    if (end - from < BLOCK_CHARACTERS && !isLast) return;
    const start = Math.max(0, from - NEIGHBOUR_CHARACTERS);
    for (const found of scan(text.slice(start, end + NEIGHBOUR_CHARACTERS))) {
      const finding = { ...found, start: found.start + start, end: found.end + start };
      if (finding.start < end && finding.end > from) findings.push(finding);
    }
    from = end;
  });
  return merged(findings);
}

/** Two blocks find the number between them; where they read it differently, all that either found is secret. */
function merged(findings: readonly PiiFinding[]): readonly PiiFinding[] {
  const apart: PiiFinding[] = [];
  for (const finding of [...findings].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = apart.at(-1);
    if (last === undefined || finding.start >= last.end) apart.push(finding);
    else if (finding.end > last.end) apart[apart.length - 1] = { ...last, end: finding.end };
  }
  return apart;
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
  const from = Math.max(0, caller.length - BLOCK_CHARACTERS);
  const tail = caller.slice(from);
  return incompleteSpans(tail)
    .filter(({ end }) => /^[\s.,]*$/.test(tail.slice(end)))
    .filter(({ start, end }) => digitsIn(tail.slice(start, end)).length >= FEWEST_DIGITS_OF_A_CARD)
    .map(({ start, end }) => ({ type: 'CARD' as const, start: start + from, end: end + from }));
}

/** How many messages behind a card's number its code may come. */
const CODE_MESSAGES = 6;

/** Three or four digits that are called a code, behind a card's number. */
function cardCodes(
  conversation: JoinedConversation,
  found: readonly (readonly Secret[])[],
): readonly PiiFinding[] {
  const { pieces } = conversation;
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
  return scanBlocks(conversation, scanCodes).filter(({ start }) => isBehindCard(start));
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
