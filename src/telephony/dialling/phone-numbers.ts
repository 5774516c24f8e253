import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** Returns E.164, or null for text that is no telephone number. */
export function canonicalNumber(text: string): string | null {
  const number = parsePhoneNumberFromString(text);
  return number?.isPossible() === true ? number.number : null;
}

/** Returns the country of the number, or null. Numbers of +1 without a location count as the United States. */
export function countryOf(text: string): string | null {
  const number = parsePhoneNumberFromString(text);
  if (number === undefined) return null;
  return number.country ?? (number.countryCallingCode === '1' ? 'US' : null);
}
