import { scrubKeys } from './scrub.ts';

const PLAIN = /^(?:[A-Za-z_$][\w$-]{0,63}|\d{1,5})$/;
const HIDDEN = '…';

/** Returns a client's field name for an error message. Other text, which may be personal data, is never repeated. */
export const printableFieldName = (name: string): string => shown(name, '.');

export const printableFieldPath = (path: string): string => shown(path, '/');

const shown = (text: string, separator: string): string =>
  text
    .split(separator)
    .map((part) => (part === '' || PLAIN.test(part) ? part : HIDDEN))
    .join(separator);

/** Counts characters as a JSON Schema does: one outside of the basic plane is one. */
export function charactersOf(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}

/**
 * Returns a client's value for an error message: an id, a name or a short number as it is, other text by its length. A
 * long number may be a telephone's or a card's.
 */
export function printableValue(value: unknown): string {
  if (typeof value === 'number') return String(value).length > 8 ? 'a number' : String(value);
  if (typeof value === 'string')
    return PLAIN.test(value) ? scrubKeys(value) : `'${HIDDEN}' (${charactersOf(value)} characters)`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
