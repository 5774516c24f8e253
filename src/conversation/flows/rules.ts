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

/** A tool may return as much as it likes; a text shows this much of one value, and has this length in all. */
const MOST_OF_A_VALUE = 4_000;
const MOST_FILLED = 16_000;
/**
 * A tree takes no more values once they have this many characters. It is above what a tool accepts as arguments, so
 * such a call is refused as too long; it never runs with values missing.
 */
const MOST_IN_A_TREE = 4 * MOST_FILLED;

/** Unknown names become empty text. */
export const filled = (text: string, values: Values): string => new Filling(values).text(text);

/** A text that is a single placeholder becomes the value itself, with its type. */
export const filledValue = (value: unknown, values: Values): unknown => new Filling(values).tree(value);

interface Insert {
  readonly value: unknown;
  readonly text: string;
  /** The length of the whole value. */
  readonly characters: number;
}

/** A flow may repeat a placeholder 100,000 times: each value is serialized once, and the work ends with the output. */
class Filling {
  readonly #values: Values;
  readonly #inserts = new Map<string, Insert>();
  #left = MOST_IN_A_TREE;

  constructor(values: Values) {
    this.#values = values;
  }

  text(text: string): string {
    let out = '';
    let at = 0;
    for (const place of text.matchAll(PLACE)) {
      out += text.slice(at, place.index);
      if (out.length >= MOST_FILLED) break;
      at = place.index + place[0].length;
      out += this.#take(place[1] as string, MOST_OF_A_VALUE)?.text ?? '';
    }
    return `${out}${text.slice(at, at + MOST_FILLED)}`.slice(0, MOST_FILLED);
  }

  tree(value: unknown): unknown {
    if (typeof value === 'string') {
      const [, name] = /^\{([A-Za-z][A-Za-z0-9_.-]*)\}$/.exec(value) ?? [];
      return name === undefined
        ? this.text(value)
        : (this.#take(name, Number.POSITIVE_INFINITY)?.value ?? null);
    }
    if (Array.isArray(value)) return value.map((one) => this.tree(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.tree(one)]));
  }

  /** The last value that is inserted may exceed what is left. */
  #take(name: string, most: number): Insert | null {
    if (this.#left <= 0) return null;
    const insert = this.#inserts.get(name) ?? insertOf(valueAt(this.#values, name));
    this.#inserts.set(name, insert);
    this.#left -= Math.min(insert.characters, most);
    return insert;
  }
}

function insertOf(value: unknown): Insert {
  if (value === undefined || value === null) return { value, text: '', characters: 0 };
  const whole = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return { value, text: whole.slice(0, MOST_OF_A_VALUE), characters: whole.length };
}
