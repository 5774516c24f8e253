/** Steps that may still be spent on matching; what is left at 0 matches nothing. */
export interface WorkBudget {
  left: number;
}

export interface PatternOptions {
  /** The pattern is of the whole path; else of its beginning. */
  readonly isWhole: boolean;
}

/** A pattern of paths, in which `*` stands for anything. Matching takes as many steps as the path has characters, whatever the pattern. */
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

/** Two stars in a row say no more than one. */
export const collapsed = (pattern: string): string => pattern.replace(/\*+/g, '*');

/** A text that is looked for by Knuth, Morris and Pratt: no character of the path is looked at more than twice. */
class Literal {
  readonly text: string;
  #boundaries: Uint16Array | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** The end of its first place in `path` from `from` on. */
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

/** For each beginning of the text, how long its longest beginning is that it ends with too. */
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
