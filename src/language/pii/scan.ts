import { codesBehind } from './card-codes.ts';
import { digitRuns } from './digits.ts';
import { emailFindings } from './email.ts';
import { PII_ENTITIES, type PiiEntity, type PiiFinding } from './finding.ts';
import { numericFindings } from './numeric.ts';

const INVISIBLE = /\p{Cf}/gu;

/** The text as it is seen, and where in the whole text each of its characters is. */
function visible(text: string): { seen: string; placeOf: (at: number) => number } {
  if (text.search(INVISIBLE) < 0) return { seen: text, placeOf: (at) => at };
  const places: number[] = [];
  let seen = '';
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) as number);
    if (!/^\p{Cf}$/u.test(character)) {
      for (let part = 0; part < character.length; part += 1) places.push(at + part);
      seen += character;
    }
    at += character.length;
  }
  return { seen, placeOf: (at) => places[at] as number };
}

/** Everything personal in a text, in order and without overlaps. The same text always gives the same findings. What is
 * not seen (joiners, soft hyphens) hides nothing. `cardCodes`: what is called a code behind a card's number is the card's. */
export function scanForPii(
  text: string,
  entities: readonly PiiEntity[] = PII_ENTITIES,
  { cardCodes = true } = {},
): readonly PiiFinding[] {
  const { seen, placeOf } = visible(text);
  return scanSeen(seen, entities, cardCodes).map(({ type, start, end }) => ({
    type,
    start: placeOf(start),
    end: placeOf(end - 1) + 1,
  }));
}

function scanSeen(text: string, entities: readonly PiiEntity[], cardCodes: boolean): readonly PiiFinding[] {
  const emails = emailFindings(text);
  const numbers = numericFindings(text).filter(
    ({ start, end }) => !emails.some((email) => start < email.end && email.start < end),
  );
  const cards = numbers.filter(({ type }) => type === 'CARD');
  const codes = cardCodes ? codesBehind(text, cards) : [];
  const merged: PiiFinding[] = [];
  for (const finding of [...emails, ...numbers, ...codes].sort(
    (a, b) => a.start - b.start || b.end - a.end,
  )) {
    const last = merged.at(-1);
    if (last && finding.start < last.end) merged[merged.length - 1] = joined(last, finding);
    else merged.push(finding);
  }
  return merged.filter(({ type }) => entities.includes(type));
}

/** Two findings of one stretch, from two readings of it: the longer one says what it is. */
function joined(first: PiiFinding, second: PiiFinding): PiiFinding {
  const longer = second.end - second.start > first.end - first.start ? second : first;
  return { type: longer.type, start: first.start, end: Math.max(first.end, second.end) };
}

/** Later words could still turn these spans into personal data, or extend them; the text must not be cut there. */
export function incompleteSpans(text: string): readonly { readonly start: number; readonly end: number }[] {
  const { seen, placeOf } = visible(text);
  return unsettledSeen(seen).map(({ start, end }) => ({ start: placeOf(start), end: placeOf(end - 1) + 1 }));
}

function unsettledSeen(text: string): readonly { readonly start: number; readonly end: number }[] {
  const readings = [{}, { homophones: true }, { leadingZeros: true }];
  const runs = readings
    .flatMap((reading) => digitRuns(text, reading))
    .map((run) => ({
      start: run[0]?.start ?? 0,
      end: run.at(-1)?.end ?? 0,
    }));
  return [...runs, ...emailFindings(text)];
}
