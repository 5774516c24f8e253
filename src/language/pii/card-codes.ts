import { type DigitRun, digitRuns, digitsOf } from './digits.ts';
import { type PiiFinding, piiTagOf } from './finding.ts';

/** Names of codes that are no card's, before the word and after it. */
const OTHERS_BEFORE =
  'zip|area|post|postal|country|dial(?:l?ing)?|promo(?:tion)?|discount|voucher|coupon|gift|booking|order|product|item|reference|confirmation|tracking|door|gate|access|entry|error|sort|bank|bar|dress|source|store|department|प्रोमो|बुकिंग|एरिया|एसटीडी';
const OTHERS_BEHIND =
  "postal|promo\\p{L}*|de\\s+(?:reserva|descuento|área|país|acceso|pedido|producto|la\\s+(?:puerta|porte)|réservation|réduction|commande|pays|suivi|seguimiento|barras)|d['’]\\s?accès|barre";
/** A code, and none that says for itself that it is no card's. */
const CODE = `(?<!(?:${OTHERS_BEFORE})[\\s-]{0,2})(?<!\\p{L})(?:codes?|pin|csc|código|kode|prüf(?:nummer|ziffer)|कोड|पिन)(?!\\p{L}|[\\s-]{1,3}(?:${OTHERS_BEHIND}))`;
const CODE_BEFORE = new RegExp(`${CODE}[^|]{0,40}$`, 'iu');
const CODE_BEHIND = new RegExp(`^[\\s,.]*(is|es|est|ist|है)?[\\s,.]*(\\p{L}+\\s){0,2}${CODE}`, 'iu');
/** The date until which a card is valid. */
export const EXPIRY = /^\p{Nd}{1,2}\s*[/-]\s*\p{Nd}{2,4}$/u;
const CONTEXT_CHARACTERS = 60;
/** How far behind a card's number its code may come, in the words of both sides. Jobs remember a little more of what was said before. */
const BEHIND_CARD = 200;
/** A card that was taken out before. */
const TAKEN_OUT = piiTagOf('CARD');

/** Three or four digits that somebody calls a code. Whether it is a card's, a number before it must tell. */
export function codesIn(text: string): readonly PiiFinding[] {
  return [{}, { homophones: true }, { leadingZeros: true }]
    .flatMap((reading) => digitRuns(text, reading))
    .flatMap(groupsOf)
    .filter(({ start, end }) => !EXPIRY.test(text.slice(start, end)))
    .filter(
      ({ start, end }) =>
        CODE_BEFORE.test(text.slice(Math.max(0, start - CONTEXT_CHARACTERS), start)) ||
        CODE_BEHIND.test(text.slice(end, end + CONTEXT_CHARACTERS)),
    );
}

/** The codes that follow one of these cards, or one that is redacted already. */
export function codesBehind(text: string, cards: readonly PiiFinding[]): readonly PiiFinding[] {
  const ends = cards.map(({ end }) => end);
  for (let at = text.indexOf(TAKEN_OUT); at >= 0; at = text.indexOf(TAKEN_OUT, at + 1))
    ends.push(at + TAKEN_OUT.length);
  if (ends.length === 0) return [];
  return codesIn(text).filter(({ start }) => ends.some((end) => end <= start && start - end <= BEHIND_CARD));
}

/** A run of three or four digits, or the first and the last that are written together in a longer one: a date may stand beside a code. */
function groupsOf(run: DigitRun): PiiFinding[] {
  const first = run[0];
  const last = run.at(-1);
  if (first === undefined || last === undefined) return [];
  const whole = { digits: digitsOf(run), start: first.start, end: last.end };
  return [whole, first, last]
    .filter(({ digits }) => digits.length === 3 || digits.length === 4)
    .map(({ start, end }) => ({ type: 'CVV', start, end }));
}
