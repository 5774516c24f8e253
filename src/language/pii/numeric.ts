import { EXPIRY } from './card-codes.ts';
import {
  type DigitAtom,
  type DigitReadingRules,
  type DigitRun,
  digitRuns,
  digitsOf,
  groupLengths,
} from './digits.ts';
import type { PiiFinding } from './finding.ts';
import { HESITATION, HOMOPHONES, ZERO_LETTERS } from './lexicon.ts';
import { CARD_LENGTHS, isCard, isCardLike, isSsn, isUsPhone } from './numbers.ts';
import { isPhone, phoneContext } from './phones.ts';

const SSN_CONTEXT =
  /social|\bs\.?\s?s\.?\s?n\b|tax(payer)?\s+(id|number)|seguro\s+social|sécurité\s+sociale|sozialversicherung|सोशल/iu;
const CVV_CONTEXT = new RegExp(
  [
    /\bc\.?\s?v\.?\s?(v|c|2)\b|\bcvv2\b|\bcid\b|(?<!social[\s-]{1,3})security\s+(code|number|digits)/,
    /verification\s+(code|value|number)|card\s+code|(three|four|3|4)\s+digits?\s+(on|at|from)|(on|at)\s+the\s+back/,
    /código\s+de\s+(seguridad|verificación)|(tres|cuatro|3|4)\s+dígitos/,
    /code\s+de\s+(sécurité|vérification)|cryptogramme|(trois|quatre|3|4)\s+chiffres/,
    /prüf(nummer|ziffer)|kartenprüf|sicherheitscode/,
    /सी\s?वी\s?(वी|सी)|(सुरक्षा|सिक्योरिटी)\s+(कोड|नंबर)|(तीन|चार|3|4)\s+(अंक|नंबर|डिजिट)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'iu',
);
const CARD_CONTEXT =
  /\b(credit|debit|visa|master\s?card|amex|american\s+express|(card|tarjeta|carte|kreditkarte|carta|cartão|kaart)(\s+(number|is|ending|número|numéro))?)\b|कार्ड/iu;
/** These words directly announce a card's number; no other number follows them. */
const ANNOUNCES_CARD = new RegExp(
  `(?:${[
    /(?:card|kaart|karten?|kreditkarten?)[\s-]?(?:numbers?|no\.?|nummer)(?!\p{L})/u,
    /(?:número|numero|numéro)\s+(?:d[aeio]\p{L}{0,8}\s+)?(?:(?:la|mi|su|ma|sa|mia|minha)\s+)?(?:tarjeta|carte|carta|cartão)/u,
    /कार्ड\s+(?:का\s+)?(?:नंबर|नम्बर)/u,
  ]
    .map(({ source }) => source)
    .join('|')})(?:(?!number|nummer|número|numero|numéro|नंबर|account|order)\\P{Nd}){0,40}$`,
  'iu',
);
const MISHEARD = { least: 12, most: 20 };
/** Most cards have these lengths: digits that fit are the number, and further digits are separate. */
const USUAL_LENGTHS: readonly number[] = [15, 16];
export const namesCard = (text: string): boolean => CARD_CONTEXT.test(text);
const HESITATES = new RegExp(`\\b${HESITATION}\\b`, 'i');
const ENGLISH = /\b(one|two|three|four|five|six|seven|eight|nine)\b/i;
const LEADING_ZERO = new RegExp(`\\b(${[...ZERO_LETTERS].join('|')})\\b`, 'i');
const SOUNDS_LIKE = new RegExp(`^(${[...HOMOPHONES.keys()].join('|')})\\b`, 'i');
const MAY_SOUND_LIKE = new RegExp(`\\b(${[...HOMOPHONES.keys()].join('|')})\\b`, 'i');
const EXTENSION =
  /^[\s,;]{0,2}(?:x|ext\.?|extension|poste|anexo|durchwahl|interno|ramal|toestel)\s?\p{Nd}{1,6}/iu;
const CARD_WINDOW = 60;
const ANNOUNCED_WITHIN = 120;
const SSN_WINDOW = 160;
const CVV_WINDOW = 80;
const CONTEXT_AFTER = 40;
const NEXT_NUMBER = 60;

interface Window {
  readonly from: number;
  readonly to: number;
}

function windowOf(run: DigitRun, from: number, digits: number): Window | null {
  let sum = 0;
  for (let to = from; to < run.length; to += 1) {
    sum += (run[to] as DigitAtom).digits.length;
    if (sum === digits) return { from, to: to + 1 };
    if (sum > digits) return null;
  }
  return null;
}

const sameLengths = (lengths: readonly number[], ...wanted: readonly (readonly number[])[]): boolean =>
  wanted.some((list) => list.length === lengths.length && list.every((length, at) => length === lengths[at]));

class RunScanner {
  readonly #text: string;
  readonly #run: DigitRun;
  readonly #nextStart: number;
  readonly findings: PiiFinding[] = [];

  constructor(text: string, run: DigitRun, next: DigitRun | undefined) {
    this.#text = text;
    this.#run = run;
    this.#nextStart = next?.[0]?.start ?? Number.POSITIVE_INFINITY;
  }

  scan(): readonly PiiFinding[] {
    const whole = { from: 0, to: this.#run.length };
    if (this.#isMisheardCard(whole)) {
      this.#add('CARD', whole);
      return this.findings;
    }
    let open = 0;
    for (let at = 0; at < this.#run.length; ) {
      const found = this.#shaped(at);
      if (!found) {
        at += 1;
        continue;
      }
      this.#leftOver({ from: open, to: at });
      this.#add(found.type, found.window);
      at = found.window.to;
      open = at;
    }
    this.#leftOver({ from: open, to: this.#run.length });
    return this.findings;
  }

  #shaped(at: number): { type: PiiFinding['type']; window: Window } | null {
    for (const length of CARD_LENGTHS) {
      const window = windowOf(this.#run, at, length);
      if (window && isCard(this.#digits(window))) return { type: 'CARD', window };
    }
    const ssn = windowOf(this.#run, at, 9);
    const isGrouped = ssn !== null && !this.#cuts(ssn) && sameLengths(this.#groups(ssn), [3, 2, 4]);
    if (isGrouped && isSsn(this.#digits(ssn)) && !this.#isCalledPhone(ssn))
      return { type: 'SSN', window: ssn };
    for (const length of [11, 10]) {
      const phone = windowOf(this.#run, at, length);
      if (!phone || !isUsPhone(this.#digits(phone))) continue;
      if (sameLengths(this.#groups(phone), [3, 3, 4], [1, 3, 3, 4], [1, 3, 7], [3, 7], [6, 4]))
        return { type: 'PHONE', window: phone };
    }
    return null;
  }

  #isMisheardCard(run: Window): boolean {
    const count = this.#digits(run).length;
    if (count < MISHEARD.least || count > MISHEARD.most) return false;
    if (!this.#isAnnouncedCard(run)) return false;
    return !USUAL_LENGTHS.some((length) => {
      const window = windowOf(this.#run, 0, length);
      return window !== null && isCard(this.#digits(window));
    });
  }

  #isAnnouncedCard(run: Window): boolean {
    const { start } = this.#span(run);
    return ANNOUNCES_CARD.test(this.#text.slice(Math.max(0, start - ANNOUNCED_WITHIN), start));
  }

  #cuts({ from, to }: Window): boolean {
    return [from, to].some((at) => {
      const [last, next] = [this.#run[at - 1], this.#run[at]];
      if (last === undefined || next === undefined) return false;
      const gap = this.#text.slice(last.end, next.start);
      return last.digits.length === 1 && next.digits.length === 1 && /^\s*$/.test(gap);
    });
  }

  #leftOver(window: Window): void {
    if (window.to <= window.from) return;
    const digits = this.#digits(window);
    const oneByOne = this.#run.slice(window.from, window.to).every((atom) => atom.digits.length === 1);
    const isCalledSsn = this.#near(window, SSN_CONTEXT, SSN_WINDOW);
    if (
      isSsn(digits) &&
      (isCalledSsn || (oneByOne && phoneContext(this.#dialled(window)) === null && !this.#isForeign(window)))
    )
      this.#add('SSN', window);
    else if (isUsPhone(digits) && digits.length >= 10) this.#add('PHONE', window);
    else if (!isCalledSsn && isPhone(this.#dialled(window))) this.#add('PHONE', window);
    // A misrecognized digit breaks the check digit, so the context decides.
    else if (isCardLike(digits) && this.#near(window, CARD_CONTEXT, CARD_WINDOW)) this.#add('CARD', window);
    else {
      const value = this.#lastGroup(window);
      if (value && this.#near(value, CVV_CONTEXT, CVV_WINDOW)) this.#add('CVV', value);
    }
  }

  #dialled(window: Window) {
    const span = this.#span(window);
    const followed = this.#nextStart <= span.end + NEXT_NUMBER;
    return {
      text: this.#text,
      ...span,
      digits: this.#digits(window),
      groups: this.#groups(window),
      followed,
    };
  }

  /** Nine digits that the speaker calls a telephone number are not a social security number. */
  #isCalledPhone(window: Window): boolean {
    return phoneContext(this.#dialled(window)) === 'yes';
  }

  #isForeign(window: Window): boolean {
    const { start, end } = this.#span(window);
    const digits = this.#digits(window);
    return (
      /^[6-9]/.test(digits) &&
      !ENGLISH.test(this.#text.slice(start, end)) &&
      /\p{L}/u.test(this.#text.slice(start, end)) &&
      isPhone({ ...this.#dialled(window), groups: [3, 3, 3] })
    );
  }

  #lastGroup(window: Window): Window | null {
    const { start, end } = this.#span(window);
    if (EXPIRY.test(this.#text.slice(start, end))) return null;
    if ([3, 4].includes(this.#digits(window).length)) return window;
    const last = this.#groups(window).at(-1) ?? 0;
    if (last !== 3 && last !== 4) return null;
    for (let from = window.to - 1; from >= window.from; from -= 1) {
      const tail = windowOf(this.#run, from, last);
      if (tail?.to === window.to) return tail;
    }
    return null;
  }

  #near(window: Window, context: RegExp, scope: number): boolean {
    const { start, end } = this.#span(window);
    return (
      context.test(this.#text.slice(Math.max(0, start - scope), start)) ||
      (this.#nextStart > end + NEXT_NUMBER && context.test(this.#text.slice(end, end + CONTEXT_AFTER)))
    );
  }

  #digits({ from, to }: Window): string {
    return digitsOf(this.#run.slice(from, to));
  }

  #groups({ from, to }: Window): readonly number[] {
    return groupLengths(this.#text, this.#run.slice(from, to));
  }

  #span({ from, to }: Window): { start: number; end: number } {
    return { start: (this.#run[from] as DigitAtom).start, end: (this.#run[to - 1] as DigitAtom).end };
  }

  #add(type: PiiFinding['type'], window: Window): void {
    const { start, end } = this.#span(window);
    const opening =
      type === 'PHONE'
        ? (/[(+]\s?$/.exec(this.#text.slice(Math.max(0, start - 2), start))?.[0].length ?? 0)
        : 0;
    const extension =
      type === 'PHONE' ? (EXTENSION.exec(this.#text.slice(end, end + 24))?.[0].length ?? 0) : 0;
    this.findings.push({ type, start: start - opening, end: end + extension });
  }
}

function read(text: string, reading: DigitReadingRules): readonly PiiFinding[] {
  const runs = digitRuns(text, reading);
  return runs.flatMap((run, at) => new RunScanner(text, run, runs[at + 1]).scan());
}

/** The findings combine every reading of the text: a redacted word too many is better than a number in plain text. */
export function numericFindings(text: string): readonly PiiFinding[] {
  const hesitates = HESITATES.test(text);
  // Portuguese digits are unlikely in a text with English digits.
  const findings = hesitates && ENGLISH.test(text) ? [] : [...read(text, {})];
  if (hesitates) findings.push(...read(text, { hesitations: true }));
  if (LEADING_ZERO.test(text)) findings.push(...read(text, { leadingZeros: true }));
  if (MAY_SOUND_LIKE.test(text)) {
    const sounding = [
      ...(hesitates && ENGLISH.test(text) ? [] : read(text, { homophones: true })),
      ...read(text, { homophones: true, hesitations: true }),
    ];
    // Three digits are weak evidence: `the code for 123` is not a four-digit code.
    findings.push(
      ...sounding.filter(({ type, start }) => type !== 'CVV' || !SOUNDS_LIKE.test(text.slice(start))),
    );
  }
  return findings;
}
