import type { Rule } from './schema.ts';

export type Values = Readonly<Record<string, unknown>>;

/** `order.total` reads a field of a result; a value whose own name contains dots takes precedence. */
export function valueAt(values: Values, path: string): unknown {
  if (Object.hasOwn(values, path)) return values[path];
  let found: unknown = values;
  for (const part of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}

/** "1250 EUR" counts as 1250, because amounts are captured in minor units with their currency. */
const numberOf = (value: unknown): number => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\s*-?[\d.]/.test(value) ? Number.parseFloat(value) : Number.NaN;
};

const same = (value: unknown, other: unknown): boolean =>
  typeof value === 'string' && typeof other === 'string'
    ? value.trim().toLowerCase() === other.trim().toLowerCase()
    : value === other || (typeof other === 'number' && numberOf(value) === other);

export function holds(rule: Rule, values: Values): boolean {
  if ('all' in rule) return rule.all.every((one) => holds(one, values));
  if ('any' in rule) return rule.any.some((one) => holds(one, values));
  if ('not' in rule) return !holds(rule.not, values);
  const value = valueAt(values, rule.value);
  const known = value !== undefined && value !== null;
  if (rule.known !== undefined && rule.known !== known) return false;
  if (rule.is !== undefined && !same(value, rule.is)) return false;
  if (rule.is_not !== undefined && (!known || same(value, rule.is_not))) return false;
  if (rule.over !== undefined && !(numberOf(value) > rule.over)) return false;
  if (rule.under !== undefined && !(numberOf(value) < rule.under)) return false;
  if (rule.at_least !== undefined && !(numberOf(value) >= rule.at_least)) return false;
  if (rule.at_most !== undefined && !(numberOf(value) <= rule.at_most)) return false;
  return rule.in === undefined || rule.in.some((one) => same(value, one));
}

export function namesIn(rule: Rule): string[] {
  if ('all' in rule) return rule.all.flatMap(namesIn);
  if ('any' in rule) return rule.any.flatMap(namesIn);
  return 'not' in rule ? namesIn(rule.not) : [rule.value];
}

const PLACE = /\{([A-Za-z][A-Za-z0-9_.-]*)\}/g;

export const placesIn = (text: string): string[] => [...text.matchAll(PLACE)].map(([, name]) => name ?? '');

/** Unknown names become empty text. */
export const filled = (text: string, values: Values): string =>
  text.replace(PLACE, (_, name: string) => textOf(valueAt(values, name))).slice(0, MOST_FILLED);

/** A tool may return as much as it likes; a text shows this much of one value, and has this length in all. */
const MOST_OF_A_VALUE = 4_000;
const MOST_FILLED = 16_000;

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.slice(0, MOST_OF_A_VALUE);
};

/** A text that is a single placeholder becomes the value itself, with its type. */
export function filledValue(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const [, name] = /^\{([A-Za-z][A-Za-z0-9_.-]*)\}$/.exec(value) ?? [];
    return name === undefined ? filled(value, values) : (valueAt(values, name) ?? null);
  }
  if (Array.isArray(value)) return value.map((one) => filledValue(one, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filledValue(one, values)]));
}
