import { parseAgreement } from './agreement.ts';
import { readAmountSaid } from './amounts.ts';
import { completeReading, KEY_CONFIDENCE, missingReading } from './capture-reading.ts';
import type { Character } from './characters.ts';
import { readCodeSaid, readDigitsSaid, readingOfCode, readingOfDigits } from './codes.ts';
import type { CaptureHints, CaptureKind, CaptureReading, ValueReader } from './contract.ts';
import { readDate, readTimeSaid } from './date-time-readers.ts';
import { readEmail, readingOfEmail } from './email.ts';
import { readingOfName, readName } from './names.ts';
import { readingOfPhone, readPhone } from './phone.ts';

const SURE_YES = 0.95;

const readYesNo: ValueReader = (said, keys, { language }) => {
  if (keys !== '')
    return keys === '1' || keys === '2'
      ? completeReading(keys === '1' ? 'yes' : 'no', KEY_CONFIDENCE, '')
      : missingReading();
  const agreed = parseAgreement(said.text, language);
  return agreed === null ? missingReading() : completeReading(agreed, SURE_YES, '');
};

export const READERS: Readonly<Record<CaptureKind, ValueReader>> = {
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

type CharacterReader = (heard: readonly Character[], hints: CaptureHints) => CaptureReading;

export const CHARACTER_READERS: Partial<Readonly<Record<CaptureKind, CharacterReader>>> = {
  digits: readingOfDigits,
  phone: readingOfPhone,
  email: readingOfEmail,
  name: readingOfName,
  code: readingOfCode,
};

export const KEYPAD_KINDS: ReadonlySet<CaptureKind> = new Set([
  'digits',
  'phone',
  'date',
  'time',
  'amount',
  'yes_no',
]);
