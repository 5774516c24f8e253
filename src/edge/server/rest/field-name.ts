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
