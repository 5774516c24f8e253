/** Matching spends these steps; a budget of 0 matches nothing. */
export interface WorkBudget {
  left: number;
}

export interface PatternOptions {
  readonly isWhole: boolean;
}

/** `*` matches any text. Matching takes a number of steps linear in the path, whatever the pattern. */
export class PathPattern {
  readonly #first: string;
  readonly #others: readonly Literal[];
  readonly #isWhole: boolean;

  constructor(pattern: string, { isWhole }: PatternOptions) {
    const [first = '', ...others] = collapsed(pattern).split('*');
    this.#first = first;
    this.#others = others.map((text) => new Literal(text));
    this.#isWhole = isWhole;
  }

  matches(path: string, work: WorkBudget): boolean {
    if (work.left <= 0) return false;
    work.left -= 1;
    if (!path.startsWith(this.#first)) return false;
    if (this.#others.length === 0) return !this.#isWhole || path.length === this.#first.length;
    let at = this.#first.length;
    const last = this.#isWhole ? this.#others.at(-1) : undefined;
    for (const literal of this.#others) {
      if (literal === last) break;
      const end = literal.endIn(path, at);
      work.left -= (end ?? path.length) - at;
      if (end === null) return false;
      at = end;
    }
    return last === undefined || (path.length - last.text.length >= at && path.endsWith(last.text));
  }
}

export const collapsed = (pattern: string): string => pattern.replace(/\*+/g, '*');

/** Uses the Knuth–Morris–Pratt search: it examines no character of the path more than twice. */
class Literal {
  readonly text: string;
  #boundaries: Uint16Array | null = null;

  constructor(text: string) {
    this.text = text;
  }

  endIn(path: string, from: number): number | null {
    const { text } = this;
    if (text.length === 0) return from;
    if (text.length > path.length - from) return null;
    this.#boundaries ??= boundariesOf(text);
    let matched = 0;
    for (let at = from; at < path.length; at += 1) {
      const character = path.charCodeAt(at);
      while (matched > 0 && text.charCodeAt(matched) !== character)
        matched = this.#boundaries[matched - 1] as number;
      if (text.charCodeAt(matched) === character) matched += 1;
      if (matched === text.length) return at + 1;
    }
    return null;
  }
}

function boundariesOf(text: string): Uint16Array {
  const boundaries = new Uint16Array(text.length);
  for (let at = 1, matched = 0; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(matched) !== text.charCodeAt(at))
      matched = boundaries[matched - 1] as number;
    if (text.charCodeAt(matched) === text.charCodeAt(at)) matched += 1;
    boundaries[at] = matched;
  }
  return boundaries;
}
