const ABN_WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];

/** An ABN has eleven digits: with the first one reduced by 1, their weighted sum is a multiple of 89. */
export function isAbn(text: string): boolean {
  if (!/^[1-9]\d{10}$/.test(text)) return false;
  const sum = ABN_WEIGHTS.reduce(
    (total, weight, at) => total + weight * (Number(text[at]) - (at === 0 ? 1 : 0)),
    0,
  );
  return sum % 89 === 0;
}

const BASE36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The check digit of a GSTIN: the products by 1 and 2 in turn, summed digit by digit in base 36. */
export function gstinCheckDigit(first14: string): string {
  const sum = [...first14].reduce((total, character, at) => {
    const product = BASE36.indexOf(character) * (at % 2 === 0 ? 1 : 2);
    return total + Math.floor(product / 36) + (product % 36);
  }, 0);
  return BASE36[(36 - (sum % 36)) % 36]!;
}

/** A GSTIN consists of the state, a PAN, a number, Z and the check digit. */
export function isGstin(text: string): boolean {
  if (!/^\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]$/.test(text)) return false;
  return isPan(text.slice(2, 12)) && gstinCheckDigit(text.slice(0, 14)) === text[14];
}

/** A PAN consists of five letters, of which the fourth is the type of its holder, four digits and a letter. */
export const isPan = (text: string): boolean => /^[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]$/.test(text);

/** A CIN consists of the listing status, industry, state, year, ownership and registration. */
export const isCin = (text: string): boolean => /^[LU]\d{5}[A-Z]{2}\d{4}[A-Z]{3}\d{6}$/.test(text);
