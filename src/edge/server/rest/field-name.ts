/** What a program names a field or a part of a path, or the place of an entry in a list. */
const PLAIN = /^(?:[A-Za-z_$][\w$-]{0,63}|\d{1,5})$/;
const HIDDEN = '…';

/** A name that a caller sent, as it may stand in an error: text in place of a name could be anything, such as words or
 * a number of a person, and is not said again. */
export const shownName = (name: string): string => shown(name, '.');

/** The path of a request, by the same rule. */
export const shownPath = (path: string): string => shown(path, '/');

const shown = (text: string, separator: string): string =>
  text
    .split(separator)
    .map((part) => (part === '' || PLAIN.test(part) ? part : HIDDEN))
    .join(separator);
