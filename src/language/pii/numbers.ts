import { isLuhnValid } from '../text/index.ts';

/** The table has the issuers' number ranges: the first digits, and the length of the whole number. */
const ISSUERS: readonly { readonly prefix: RegExp; readonly lengths: readonly number[] }[] = [
  { prefix: /^4/, lengths: [16, 13, 19] },
  { prefix: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { prefix: /^3[47]/, lengths: [15] },
  { prefix: /^(6011|65|64[4-9]|622)/, lengths: [16, 17, 18, 19] },
  { prefix: /^62/, lengths: [16, 17, 18, 19] },
  { prefix: /^35(2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { prefix: /^(2131|1800)/, lengths: [15] },
  { prefix: /^3(0[0-5]|095|[689])/, lengths: [14, 16] },
  { prefix: /^(50|5[6-9]|6)/, lengths: [16, 13, 14, 15, 17, 18, 19] },
];

export const CARD_LENGTHS: readonly number[] = [16, 15, 14, 13, 19, 18, 17];

export const isCard = (digits: string): boolean =>
  isLuhnValid(digits) &&
  !/^(\d)\1+$/.test(digits) &&
  ISSUERS.some(({ prefix, lengths }) => prefix.test(digits) && lengths.includes(digits.length));

export const isCardLike = (digits: string): boolean =>
  /^[3-6]\d{13,18}$/.test(digits) && !/^(\d)\1+$/.test(digits);

/** The Social Security Administration issues only such numbers. */
export const isSsn = (digits: string): boolean => /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits);

/** The number follows the North American Numbering Plan, with or without its country code. */
export const isUsPhone = (digits: string): boolean =>
  /^(?:(?:00|011)?1)?[2-9](?!11)\d{2}[2-9](?!11)\d{2}\d{4}$/.test(digits);
