import { isAbn, isCin, isGstin, isPan } from '../formats/check-digits.ts';
import type { Formatted } from '../formats/formats.ts';
import type { FormatName } from '../registry/schema.ts';

/**
 * Letters and digits that look alike, for formats that fix the type of each place: `0` is a digit, `A` a letter, `*`
 * either, and any other character itself.
 */

interface Shape {
  readonly places: string;
  readonly holds: (value: string) => boolean;
  readonly checked: boolean;
}

const SHAPES: Partial<Readonly<Record<FormatName, Shape>>> = {
  abn: { places: '0'.repeat(11), holds: isAbn, checked: true },
  gstin: { places: '00AAAAA0000A*Z*', holds: isGstin, checked: true },
  pan: { places: 'AAAAA0000A', holds: isPan, checked: false },
  cin: { places: 'A00000AA0000AAA000000', holds: isCin, checked: false },
};

const DIGITS: Readonly<Record<string, string>> = {
  O: '0',
  Q: '0',
  D: '0',
  I: '1',
  L: '1',
  Z: '2',
  S: '5',
  G: '6',
  B: '8',
};
const LETTERS: Readonly<Record<string, string>> = { 0: 'O', 1: 'I', 2: 'Z', 5: 'S', 6: 'G', 8: 'B' };

const isDigit = (character: string): boolean => /\d/.test(character);

/** Returns null unless exactly one substitution fits the format. */
export function readAs(format: FormatName, text: string): Formatted | null {
  const shape = SHAPES[format];
  // The formats have no brackets: OCR reads a J as one.
  const seen = text
    .toUpperCase()
    .replace(/[\])}]/g, 'J')
    .replace(/[^0-9A-Z]/g, '');
  if (shape === undefined || seen.length !== shape.places.length) return null;
  const found = [...seen].reduce<readonly string[]>(
    (before, character, at) =>
      choices(shape.places[at]!, character).flatMap((one) => before.map((each) => each + one)),
    [''],
  );
  const [value, ...others] = found.filter(shape.holds);
  return value === undefined || others.length > 0 ? null : { value, checked: shape.checked };
}

function choices(place: string, seen: string): readonly string[] {
  const other = isDigit(seen) ? LETTERS[seen] : DIGITS[seen];
  if (place === '*') return other === undefined ? [seen] : [seen, other];
  const isRight = place === '0' ? isDigit(seen) : place === 'A' ? !isDigit(seen) : seen === place;
  if (isRight) return [seen];
  const isLike = other !== undefined && (place === '0' || place === 'A' || other === place);
  return isLike ? [other] : [];
}
