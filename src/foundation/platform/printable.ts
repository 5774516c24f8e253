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

/** Returns a client's value for an error message: an id, a name or a number as it is, other text by its length. */
export function printableValue(value: unknown): string {
  if (typeof value === 'string')
    return PLAIN.test(value) ? value : `'${HIDDEN}' (${value.length} characters)`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
