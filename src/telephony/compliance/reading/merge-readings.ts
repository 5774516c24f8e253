import type { ReadField } from '../contract.ts';
import { isAbn, isGstin } from '../formats/check-digits.ts';

/**
 * Merges several readings of one image. A value on which all readings that have it agree is nearly certain; one from
 * a single reading, or with differences, goes to a human.
 */
const AGREED = 0.9;
const ALONE = 0.75;
const DIFFERENT = 0.6;
/** A check digit confirms the value of a single reading. */
const VOUCHED = 0.93;
/** Illegible characters may be misread in the same way by each reading. */
const LEAST_SURE = 0.55;

const CHECKS: Readonly<Record<string, (value: string) => boolean>> = { abn: isAbn, gstin: isGstin };

export function mergeReadings(...readings: readonly (readonly ReadField[])[]): ReadField[] {
  const names = new Set(readings.flatMap((fields) => fields.map(({ field }) => field)));
  return [...names].map((name) => {
    const found = readings.flatMap((fields) => fields.find(({ field }) => field === name) ?? []);
    const valid = found.filter(({ invalid }) => invalid !== true);
    return valid.length === 0 ? atMost(surest(found), ALONE) : withCheckDigit(together(valid));
  });
}

const atMost = (field: ReadField, confidence: number): ReadField => ({
  ...field,
  confidence: Math.min(field.confidence, confidence),
});

const surest = (fields: readonly ReadField[]): ReadField =>
  fields.reduce((best, each) => (each.confidence > best.confidence ? each : best));

function together(valid: readonly ReadField[]): ReadField {
  const groups = [...new Set(valid.map(({ value }) => value))].map((value) =>
    valid.filter((each) => each.value === value),
  );
  const most = Math.max(...groups.map(({ length }) => length));
  const group = groups.filter(({ length }) => length === most);
  const best = surest(group.map(surest));
  if (groups.length > 1) return atMost(best, DIFFERENT);
  const least = Math.min(...valid.map(({ confidence }) => confidence));
  if (most === 1 || least < LEAST_SURE) return atMost(best, ALONE);
  return { ...best, confidence: AGREED + (1 - AGREED) * 0.9 * least };
}

function withCheckDigit(field: ReadField): ReadField {
  const check = CHECKS[field.field];
  if (check === undefined || field.confidence < LEAST_SURE || !check(field.value)) return field;
  return { ...field, confidence: Math.max(field.confidence, VOUCHED) };
}
