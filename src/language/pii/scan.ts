import { addressFindings } from './addresses.ts';
import { birthDateFindings } from './birth-dates.ts';
import { codesBehind } from './card-codes.ts';
import { digitRuns } from './digits.ts';
import { emailFindings } from './email.ts';
import { DEFAULT_PII_ENTITIES, type PiiEntity, type PiiFinding } from './finding.ts';
import { identifierFindings } from './identifiers.ts';
import { nameFindings } from './names.ts';
import { numericFindings } from './numeric.ts';

const MOST_SPACES = 8;
const CHANGED = new RegExp(`\\p{Cf}|\\s{${MOST_SPACES + 1}}`, 'u');
const SPACES = /[\s\p{Cf}]+/gu;
const SEEN_SPACE = /[^\S\p{Cf}]/gu;

/**
 * Removes invisible characters and shortens long whitespace, with a map back to the original offsets. Long whitespace
 * would make patterns backtrack.
 */
function visible(text: string): { seen: string; placeOf: (at: number) => number } {
  if (!CHANGED.test(text)) return { seen: text, placeOf: (at) => at };
  const places: number[] = [];
  let seen = '';
  const keep = (start: number, end: number) => {
    seen += text.slice(start, end);
    for (let at = start; at < end; at += 1) places.push(at);
  };
  let end = 0;
  for (const { 0: spaces, index } of text.matchAll(SPACES)) {
    keep(end, index);
    for (const place of seenSpaces(spaces)) keep(index + place, index + place + 1);
    end = index + spaces.length;
  }
  keep(end, text.length);
  return { seen, placeOf: (at) => places[at] as number };
}

function seenSpaces(spaces: string): readonly number[] {
  const places = [...spaces.matchAll(SEEN_SPACE)].map(({ index }) => index);
  if (places.length <= MOST_SPACES) return places;
  const first = places.slice(0, MOST_SPACES - 1);
  const rest = places.slice(MOST_SPACES - 1);
  return [...first, rest.find((place) => spaces[place] === '\n') ?? (rest[0] as number)];
}

/**
 * Returns all personal data in a text, in order and without overlaps. The result is deterministic. Invisible
 * characters (joiners, soft hyphens) hide nothing. With `cardCodes`, a code after a card's number is the card's.
 */
export function scanForPii(
  text: string,
  entities: readonly PiiEntity[] = DEFAULT_PII_ENTITIES,
  { cardCodes = true } = {},
): readonly PiiFinding[] {
  const { seen, placeOf } = visible(text);
  return scanSeen(seen, entities, cardCodes).map(({ type, start, end }) => ({
    type,
    start: placeOf(start),
    end: placeOf(end - 1) + 1,
  }));
}

const BY_WORDS: readonly {
  readonly types: readonly PiiEntity[];
  readonly find: (text: string) => readonly PiiFinding[];
}[] = [
  { types: ['PASSPORT', 'ACCOUNT', 'IBAN', 'NATIONAL_ID'], find: identifierFindings },
  { types: ['BIRTH_DATE'], find: birthDateFindings },
  { types: ['NAME'], find: nameFindings },
  { types: ['ADDRESS'], find: addressFindings },
];

const overlap = (a: PiiFinding, b: PiiFinding): boolean => a.start < b.end && b.start < a.end;

function scanSeen(text: string, entities: readonly PiiEntity[], cardCodes: boolean): readonly PiiFinding[] {
  const emails = emailFindings(text);
  const numbers = numericFindings(text).filter((number) => !emails.some((email) => overlap(number, email)));
  const cards = numbers.filter(({ type }) => type === 'CARD');
  const codes = cardCodes ? codesBehind(text, cards) : [];
  const merged = inOrder([...emails, ...numbers, ...codes]);
  const byWords = BY_WORDS.flatMap(({ types, find }) =>
    types.some((type) => entities.includes(type))
      ? find(text).filter(({ type }) => entities.includes(type))
      : [],
  );
  return byWords.length === 0
    ? merged.filter(({ type }) => entities.includes(type))
    : withWords(merged, byWords, entities);
}

function inOrder(findings: readonly PiiFinding[]): readonly PiiFinding[] {
  const merged: PiiFinding[] = [];
  for (const finding of [...findings].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && finding.start < last.end) merged[merged.length - 1] = joined(last, finding);
    else merged.push(finding);
  }
  return merged;
}

/** The speaker's announcement outranks a number's shape, except for a card, an e-mail address and a code. */
function withWords(
  merged: readonly PiiFinding[],
  byWords: readonly PiiFinding[],
  entities: readonly PiiEntity[],
): readonly PiiFinding[] {
  const ibans = byWords.filter(({ type }) => type === 'IBAN');
  const sure = merged.filter(
    (finding) =>
      ['CARD', 'EMAIL', 'CVV'].includes(finding.type) && !ibans.some((iban) => overlap(finding, iban)),
  );
  const called = byWords.filter(
    (finding) => finding.type === 'ADDRESS' || !sure.some((other) => overlap(finding, other)),
  );
  const rest = merged.filter(
    (finding) =>
      sure.includes(finding) || !called.some((other) => other.type !== 'NAME' && overlap(finding, other)),
  );
  return inOrder([...rest, ...called].filter(({ type }) => entities.includes(type)));
}

function joined(first: PiiFinding, second: PiiFinding): PiiFinding {
  const longer = second.end - second.start > first.end - first.start ? second : first;
  return { type: longer.type, start: first.start, end: Math.max(first.end, second.end) };
}

/** Later words could still turn these spans into personal data, or extend them; the text must not be cut there. */
export function incompleteSpans(
  text: string,
  entities: readonly PiiEntity[] = DEFAULT_PII_ENTITIES,
): readonly { readonly start: number; readonly end: number }[] {
  const { seen, placeOf } = visible(text);
  return unsettledSeen(seen, entities).map(({ start, end }) => ({
    start: placeOf(start),
    end: placeOf(end - 1) + 1,
  }));
}

function unsettledSeen(
  text: string,
  entities: readonly PiiEntity[],
): readonly { readonly start: number; readonly end: number }[] {
  const readings = [{}, { homophones: true }, { leadingZeros: true }];
  const runs = readings
    .flatMap((reading) => digitRuns(text, reading))
    .map((run) => ({
      start: run[0]?.start ?? 0,
      end: run.at(-1)?.end ?? 0,
    }));
  return [...runs, ...scanSeen(text, entities, true)];
}
