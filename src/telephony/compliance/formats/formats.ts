import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import type { FormatName } from '../registry/schema.ts';
import { isAbn, isCin, isGstin, isPan } from './check-digits.ts';
import { type DateOrder, dateOf } from './dates.ts';

export interface FormatContext {
  readonly country: string;
  readonly dates: DateOrder;
}

/** `checked` means that a check digit, a calendar or a numbering plan confirms the value. */
export interface Formatted {
  readonly value: string;
  readonly checked: boolean;
}

type Format = (text: string, context: FormatContext) => Formatted | null;

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
const bare = (text: string): string => text.toUpperCase().replace(/[^0-9A-Z]/g, '');

const when = (value: string, holds: boolean, checked = true): Formatted | null =>
  holds ? { value, checked } : null;

const letters = (text: string): number => text.replace(/[^\p{L}]/gu, '').length;

const PLANS = [
  [/pre-?\s?paid.*(post-?\s?paid|contract)|(post-?\s?paid|contract).*pre-?\s?paid/i, undefined],
  [/\bpre-?\s?paid\b/i, 'prepaid'],
  [/\b(post-?\s?paid|contract|pay monthly)\b/i, 'postpaid'],
] as const;

const FORMATS: Readonly<Record<FormatName, Format>> = {
  text: (text) => when(plain(text), plain(text).length > 0, false),
  name: (text) => when(plain(text), letters(text) >= 2 && !/\d/.test(text), false),
  company: (text) => when(plain(text), letters(text) >= 2, false),
  address: (text) => when(plain(text), letters(text) >= 4 && /\d/.test(text), false),
  date: (text, { dates }) => {
    const day = dateOf(text, dates);
    return day === null ? null : { value: day, checked: true };
  },
  phone: (text, { country }) => {
    const number = parsePhoneNumberFromString(text, country as CountryCode);
    return number?.isValid() ? { value: number.number, checked: true } : null;
  },
  account_number: (text) =>
    when(
      bare(text),
      /^[0-9A-Z]*\d[0-9A-Z]*$/.test(bare(text)) && bare(text).length >= 4 && bare(text).length <= 24,
      false,
    ),
  pin: (text) => when(bare(text), /^\d{4,10}$/.test(bare(text)), false),
  plan: (text) => {
    const plan = PLANS.find(([words]) => words.test(text))?.[1];
    return plan === undefined ? null : { value: plan, checked: true };
  },
  company_number: (text) => when(bare(text), /^([A-Z]{2}\d{6}|\d{8})$/.test(bare(text)), false),
  abn: (text) => when(bare(text), isAbn(bare(text))),
  gstin: (text) => when(bare(text), isGstin(bare(text))),
  pan: (text) => when(bare(text), isPan(bare(text)), false),
  cin: (text) => when(bare(text), isCin(bare(text)), false),
};

export const formatted = (format: FormatName, text: string, context: FormatContext): Formatted | null =>
  FORMATS[format](text, context);
