const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/**
 * Whether a JSON text has more lists, objects and commas than this. A megabyte of empty objects costs its parser and
 * whoever walks through them as much as a hundred megabytes of text.
 */
export function hasMorePartsThan(most: number, json: string): boolean {
  if (json.length <= most) return false;
  let parts = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at + 1);
    else if (code === COMMA || code === OPEN_BRACKET || code === OPEN_BRACE) {
      parts += 1;
      if (parts > most) return true;
    }
  }
  return false;
}

/** The place of the quotation mark that ends the string; the text's end where none does. */
function endOfString(json: string, from: number): number {
  for (let end = json.indexOf('"', from); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}
