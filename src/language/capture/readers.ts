import { agreementIn } from './agreement.ts';
import { readAmountSaid } from './amounts.ts';
import type { Character } from './characters.ts';
import { readCodeSaid, readDigitsSaid, readingOfCode, readingOfDigits } from './codes.ts';
import type { CaptureKind, Hints, Reader, Reading } from './contract.ts';
import { readEmail, readingOfEmail } from './email.ts';
import { readDate, readTimeSaid } from './moments.ts';
import { readingOfName, readName } from './names.ts';
import { readingOfPhone, readPhone } from './phone.ts';
import { nothing, PRESSED, whole } from './reading.ts';

const SURE_YES = 0.95;

/** One and two stand for yes and no. */
const readYesNo: Reader = (said, keys, { language }) => {
  if (keys !== '')
    return keys === '1' || keys === '2' ? whole(keys === '1' ? 'yes' : 'no', PRESSED, '') : nothing();
  const agreed = agreementIn(said.text, language);
  return agreed === null ? nothing() : whole(agreed, SURE_YES, '');
};

export const READERS: Readonly<Record<CaptureKind, Reader>> = {
  digits: readDigitsSaid,
  phone: readPhone,
  email: readEmail,
  name: readName,
  code: readCodeSaid,
  date: readDate,
  time: readTimeSaid,
  amount: readAmountSaid,
  yes_no: readYesNo,
};

type OfCharacters = (heard: readonly Character[], hints: Hints) => Reading;

/** Kinds whose values are rows of characters, one of which can be wrong. */
export const OF_CHARACTERS: Partial<Readonly<Record<CaptureKind, OfCharacters>>> = {
  digits: readingOfDigits,
  phone: readingOfPhone,
  email: readingOfEmail,
  name: readingOfName,
  code: readingOfCode,
};

/** Kinds that a keypad can type. */
export const TYPED: ReadonlySet<CaptureKind> = new Set([
  'digits',
  'phone',
  'date',
  'time',
  'amount',
  'yes_no',
]);
