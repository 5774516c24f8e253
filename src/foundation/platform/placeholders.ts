/**
 * Replaces each match of the global pattern, whose first group is a name. The work ends with `most` characters, because
 * a text that repeats the placeholder of a long value may be longer than memory can hold.
 */
export function fillPlaceholders(
  text: string,
  pattern: RegExp,
  most: number,
  textOf: (name: string, whole: string) => string,
): string {
  let out = '';
  let at = 0;
  for (const place of text.matchAll(pattern)) {
    const [whole, name = ''] = place;
    out += text.slice(at, Math.min(place.index, at + most));
    if (out.length >= most) break;
    at = place.index + whole.length;
    out += textOf(name, whole);
  }
  return `${out}${text.slice(at, at + most)}`.slice(0, most);
}
