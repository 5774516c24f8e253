import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** E.164, or null for what is no telephone number. */
export function canonicalNumber(text: string): string | null {
  const number = parsePhoneNumberFromString(text);
  return number?.isPossible() === true ? number.number : null;
}

/** The country that a number rings in, where it tells one; numbers of +1 without a place count as the United States. */
export function countryOf(text: string): string | null {
  const number = parsePhoneNumberFromString(text);
  if (number === undefined) return null;
  return number.country ?? (number.countryCallingCode === '1' ? 'US' : null);
}
