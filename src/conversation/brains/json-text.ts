/** A model may repeat the end of its text before it continues. */
const LONGEST_OVERLAP = 200;
const SHORTEST_OVERLAP = 12;
/** This much of an object's beginning identifies a restart. */
const BEGINNING = 16;

export class JsonText {
  readonly #attempts: string[] = [];

  get text(): string {
    return this.#attempts.at(-1) ?? '';
  }

  get length(): number {
    return this.#attempts.reduce((sum, { length }) => sum + length, 0);
  }

  add(piece: string): void {
    const more = this.text === '' ? piece : piece.replace(/^\s*```(?:json)?\n/, '');
    if (this.text === '' || beginsAnew(this.text, more)) this.#attempts.push(more);
    else this.#attempts[this.#attempts.length - 1] = joined(this.text, more);
  }

  parsed(): unknown {
    for (const text of this.#attempts.toReversed()) {
      const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
      const value = from < 0 || to < from ? undefined : parse(text.slice(from, to + 1));
      if (value !== undefined) return value;
    }
    return undefined;
  }

  standing(): unknown {
    return this.#attempts.map(standingIn).reduce(merged, undefined);
  }
}

const squeezed = (text: string): string => text.replace(/\s/g, '');

function beginsAnew(before: string, more: string): boolean {
  const [from, again] = [before.indexOf('{'), more.indexOf('{')];
  if (from < 0 || again < 0 || squeezed(more.slice(0, again)).length > BEGINNING) return false;
  const [first, second] = [squeezed(before.slice(from)), squeezed(more.slice(again))];
  return first.length >= BEGINNING && second.startsWith(first.slice(0, BEGINNING));
}

function joined(before: string, more: string): string {
  const longest = Math.min(LONGEST_OVERLAP, before.length, more.length);
  for (let length = longest; length >= SHORTEST_OVERLAP; length--)
    if (before.endsWith(more.slice(0, length))) return before + more.slice(length);
  return before + more;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function standingIn(text: string): unknown {
  const from = text.indexOf('{');
  if (from < 0) return undefined;
  const closers: string[] = [];
  let end = from;
  let closing = '';
  let quoted = false;
  const completeUntil = (at: number): void => {
    end = at;
    closing = closers.toReversed().join('');
  };
  for (let at = from; at < text.length; at++) {
    const sign = text[at] as string;
    if (quoted) {
      if (sign === '\\') at++;
      else if (sign === '"') quoted = false;
    } else if (sign === '"') quoted = true;
    else if (sign === '{' || sign === '[') {
      closers.push(sign === '{' ? '}' : ']');
      completeUntil(at + 1);
    } else if (sign === '}' || sign === ']') {
      closers.pop();
      completeUntil(at + 1);
      if (closers.length === 0) break;
    } else if (sign === ',') completeUntil(at);
  }
  return parse(text.slice(from, end) + closing);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function merged(one: unknown, other: unknown): unknown {
  if (isObject(one) && isObject(other)) {
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    const pick = (of: Record<string, unknown>, name: string) =>
      Object.hasOwn(of, name) ? of[name] : undefined;
    return Object.fromEntries(names.map((name) => [name, merged(pick(one, name), pick(other, name))]));
  }
  if (Array.isArray(one) && Array.isArray(other)) return one.length > other.length ? one : other;
  return other ?? one;
}
