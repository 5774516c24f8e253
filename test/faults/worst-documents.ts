export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
}

/**
 * Text readers take long over these: runs, numbers in pieces, addresses that never end, marks that may open
 * something.
 */
export const RUNS: readonly string[] = [
  'a',
  ' ',
  '\n',
  '.',
  'a ',
  'one ',
  '4111 1111 1111 1111 ',
  '4 1 1 1 ',
  '12/12/2026 ',
  'double five triple oh ',
  'my card number is four one one one ',
  'a.a@a.a@',
  'a@',
  '<a ',
  '<<',
  '[[',
  '](',
  '*_`',
  '- - ',
  'Is it? No! ',
  'Dr. A. B. ',
  '\u00ad1',
  '\u0301',
  '一二三',
  'a\u2028',
];

export const run = (unit: string, characters: number): string =>
  unit.repeat(Math.ceil(characters / unit.length)).slice(0, Math.max(0, characters));

export function shapeless(bytes: number): Readonly<Record<string, string>> {
  const units = (one: (at: number) => string, size: number) =>
    Array.from({ length: Math.floor(bytes / size) }, (_, at) => one(at)).join(',');
  return {
    'lists within lists': `{"a":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
    'objects within objects': `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
    'sixty levels, many times': `{"a":[${units(() => `${'['.repeat(60)}${']'.repeat(60)}`, 121)}]}`,
    'many fields': `{${units((at) => `"f${at}":0`, 12)}}`,
    'many numbers': `{"a":[${units(() => '1e9', 4)}]}`,
    'many empty objects': `{"a":[${units(() => '{}', 3)}]}`,
    'one long text': `{"a":"${'x'.repeat(bytes)}"}`,
    escapes: `{"a":"${'\\u0061'.repeat(bytes / 6)}"}`,
    'the names of prototypes': `{"a":[${units(() => '{"b":"__proto__ constructor"}', 30)}]}`,
    'a list of lists of fields': `[${units(() => '{"a":null}', 11)}]`,
  };
}

export class Shaped {
  readonly #random: () => number;
  readonly #known: Readonly<Record<string, string>>;

  constructor(random: () => number, known: Readonly<Record<string, string>> = {}) {
    this.#random = random;
    this.#known = known;
  }

  of(schema: Schema, bytes: number): unknown {
    const choice = schema.anyOf ?? schema.oneOf;
    if (choice !== undefined)
      return this.of(this.#oneOf(choice.filter((one) => one.type !== 'null')) ?? choice[0]!, bytes);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return this.#oneOf(schema.enum.filter((one) => one !== null));
    const type = [schema.type].flat().find((one) => one !== 'null');
    if (type === 'object' || schema.properties !== undefined) return this.#object(schema, bytes);
    if (type === 'array') return this.#list(schema, bytes);
    if (type === 'string') return this.#text(schema, bytes);
    if (type === 'integer' || type === 'number') return this.#number(schema);
    if (type === 'boolean') return this.#random() < 0.5;
    return run(this.#oneOf(RUNS)!, Math.min(bytes, 1000));
  }

  #object(schema: Schema, bytes: number): Record<string, unknown> {
    const properties = Object.entries(schema.properties ?? {});
    const taken = properties.filter(
      ([name]) => schema.required?.includes(name) === true || this.#random() < 0.6,
    );
    // One field gets most of the bytes: the limit of one is often the limit of all.
    const large = taken.filter(([, one]) => isLarge(one));
    const most = this.#oneOf(large)?.[0];
    const value: Record<string, unknown> = {};
    for (const [name, inner] of taken)
      value[name] = this.of(inner, name === most ? bytes * 0.9 : (bytes * 0.1) / Math.max(1, taken.length));
    const { additionalProperties: more } = schema;
    if (properties.length > 0 || more === false || more === undefined) return value;
    const each = Math.min(400, bytes);
    const count = Math.min(schema.maxProperties ?? 10_000, Math.floor(bytes / (each + 12)));
    for (let at = 0; at < count; at++) value[`f${at}`] = more === true ? run('a', each) : this.of(more, each);
    return value;
  }

  #list(schema: Schema, bytes: number): unknown[] {
    const items = schema.items ?? {};
    const list: unknown[] = [];
    const most = Math.min(schema.maxItems ?? 100_000, 100_000);
    const each = this.#random() < 0.6 ? 40 : bytes / Math.min(most, 20);
    let left = bytes;
    while (list.length < most && (left > 0 || list.length < (schema.minItems ?? 0))) {
      const item = this.of(items, each);
      list.push(item);
      left -= JSON.stringify(item ?? null).length + 1;
    }
    return list;
  }

  #text(schema: Schema, bytes: number): string {
    const { pattern, maxLength = Number.POSITIVE_INFINITY, minLength = 0 } = schema;
    if (pattern !== undefined) return this.#matching(new RegExp(pattern, 'u'));
    if (schema.format !== undefined) return FORMATS[schema.format] ?? 'x';
    const length = Math.max(minLength, Math.min(maxLength, bytes));
    return run(this.#oneOf(RUNS)!, Math.max(length, minLength));
  }

  #matching(pattern: RegExp): string {
    const known = Object.values(this.#known);
    const id = `${Math.floor(this.#random() * 1e9)}`.padStart(20, '0');
    const candidates = [...known, `a${id.slice(10)}`, ...CANDIDATES];
    const prefix = /^\^([a-z]+)_/.exec(pattern.source)?.[1];
    if (prefix !== undefined) candidates.push(`${prefix}_${id}`);
    return candidates.find((one) => pattern.test(one)) ?? 'x';
  }

  #number({ minimum = 0, maximum = 1_000_000, type }: Schema): number {
    const value = minimum + this.#random() * (maximum - minimum);
    return type === 'integer' ? Math.ceil(minimum + this.#random() * Math.floor(maximum - minimum)) : value;
  }

  #oneOf<T>(values: readonly T[]): T | undefined {
    return values[Math.floor(this.#random() * values.length)];
  }
}

const isLarge = ({ type, properties, anyOf, oneOf, pattern, maxLength, enum: values }: Schema): boolean =>
  values === undefined &&
  pattern === undefined &&
  (properties !== undefined ||
    [type].flat().some((one) => one === 'array' || one === 'object') ||
    ([type].flat().includes('string') && (maxLength ?? 1e9) > 400) ||
    [...(anyOf ?? []), ...(oneOf ?? [])].some(isLarge));

const FORMATS: Readonly<Record<string, string>> = {
  email: 'a@example.com',
  uri: 'https://example.com/a',
  'date-time': '2026-11-22T10:00:00Z',
  date: '2026-11-22',
};

const CANDIDATES = [
  'a',
  'A',
  'a1',
  'ab',
  'EUR',
  'US',
  '1.0.0',
  '09:00',
  '2026-11-22',
  '+14155550123',
  'en',
  'abcdefgh',
];
