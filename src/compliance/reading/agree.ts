import type { ReadField } from '../contract.ts';
import { isAbn, isGstin } from '../formats/check-digits.ts';

/** What two readings of one picture say together. A value that both give is as good as sure; one that only one gives, or
 * that they differ in, is for a person to look at. */
const AGREED = 0.9;
const ALONE = 0.75;
const DIFFERENT = 0.6;
/** A check digit vouches for what one reading saw. */
const VOUCHED = 0.93;
/** A letter that is hardly legible may be misread twice in the same way. */
const LEAST_SURE = 0.55;

const CHECKS: Readonly<Record<string, (value: string) => boolean>> = { abn: isAbn, gstin: isGstin };

export function agreed(one: readonly ReadField[], other: readonly ReadField[]): ReadField[] {
  const names = new Set([...one, ...other].map(({ field }) => field));
  return [...names].map((name) => {
    const [a, b] = [one, other].map((fields) => fields.find(({ field }) => field === name));
    return vouched(a === undefined ? alone(b!) : b === undefined ? alone(a) : together(a, b));
  });
}

const alone = (field: ReadField): ReadField => ({ ...field, confidence: Math.min(field.confidence, ALONE) });

function together(a: ReadField, b: ReadField): ReadField {
  if (a.invalid !== b.invalid) return alone(a.invalid ? b : a);
  const surer = a.confidence >= b.confidence ? a : b;
  if (a.value !== b.value) return { ...surer, confidence: Math.min(surer.confidence, DIFFERENT) };
  const least = Math.min(a.confidence, b.confidence);
  if (a.invalid || least < LEAST_SURE || isTorn(a))
    return { ...surer, confidence: Math.min(surer.confidence, ALONE) };
  return { ...surer, confidence: AGREED + (1 - AGREED) * 0.9 * least };
}

/** A letter that stands alone before a word that begins small was most often torn off it; so was the beginning of a name's
 * word that begins small. */
const isTorn = ({ pii_class, value }: ReadField): boolean =>
  / \p{L} \p{Ll}|^\p{L} \p{Ll}/u.test(value) ||
  (pii_class === 'name' && value.split(' ').some((word) => !/^\p{Lu}/u.test(word)));

function vouched(field: ReadField): ReadField {
  const check = CHECKS[field.field];
  if (field.invalid || check === undefined || !check(field.value)) return field;
  return { ...field, confidence: Math.max(field.confidence, VOUCHED) };
}
