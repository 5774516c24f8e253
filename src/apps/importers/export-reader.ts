import { nestsWithin } from '../../foundation/platform/nesting.ts';

export class ImportError extends Error {}

const MOST_LEVELS = 64;
const MOST_CHARACTERS = 2_000_000;

/** Reads an export and tracks which parts were read, so that everything that is lost is reported. */
export class ExportReader {
  readonly path: string;
  readonly #value: unknown;
  readonly #holder: ExportReader | null;
  readonly #read: Set<string>;
  /** The paths that hold a path that was read. */
  readonly #touched: Set<string>;

  private constructor(value: unknown, path: string, holder: ExportReader | null) {
    this.#value = value;
    this.path = path;
    this.#holder = holder;
    this.#read = holder === null ? new Set() : holder.#read;
    this.#touched = holder === null ? new Set() : holder.#touched;
  }

  static parse(text: string, file: string): ExportReader {
    if (text.length > MOST_CHARACTERS)
      throw new ImportError(`${file}: a file can have at most ${MOST_CHARACTERS} characters`);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new ImportError(`${file}: not valid JSON`);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ImportError(`${file}: not a JSON object`);
    if (!nestsWithin(MOST_LEVELS, value))
      throw new ImportError(`${file}: nested more than ${MOST_LEVELS} levels deep`);
    return new ExportReader(value, '', null);
  }

  get isThere(): boolean {
    return says(this.#value);
  }

  at(name: string): ExportReader {
    const inside = this.#members();
    const value = inside !== null && Object.hasOwn(inside, name) ? inside[name] : undefined;
    return this.#piece(value, this.path === '' ? name : `${this.path}.${name}`);
  }

  items(): ExportReader[] {
    if (!this.isThere) return [];
    if (!Array.isArray(this.#value)) throw this.#wrong('a list');
    return this.#value.map((value, at) => this.#piece(value, `${this.path}[${at}]`));
  }

  entries(): [string, ExportReader][] {
    return Object.keys(this.#members() ?? {}).map((name) => [name, this.at(name)]);
  }

  text(): string | undefined {
    return this.#of('string', 'a string') as string | undefined;
  }

  number(): number | undefined {
    return this.#of('number', 'a number') as number | undefined;
  }

  flag(): boolean | undefined {
    return this.#of('boolean', 'true or false') as boolean | undefined;
  }

  texts(): string[] {
    return this.items().flatMap((item) => item.text() ?? []);
  }

  whole(): unknown {
    this.#markRead();
    return this.#value;
  }

  /** Marks bookkeeping fields as read, so that they are not reported as lost. */
  skip(...names: string[]): void {
    for (const name of names) this.at(name).whole();
  }

  /** Returns the paths of unread values; for a wholly unread object, only its own path. */
  left(): string[] {
    if (this.#read.has(this.path) || !this.isThere) return [];
    const isWhole = typeof this.#value !== 'object' || (this.path !== '' && !this.#touched.has(this.path));
    if (isWhole) return [this.path];
    const inside = Array.isArray(this.#value) ? this.items() : this.entries().map(([, piece]) => piece);
    return inside.flatMap((piece) => piece.left());
  }

  /** A holder that is marked has its own holders marked. */
  #markRead(): void {
    this.#read.add(this.path);
    for (let at = this.#holder; at !== null && !this.#touched.has(at.path); at = at.#holder)
      this.#touched.add(at.path);
  }

  #piece(value: unknown, path: string): ExportReader {
    return new ExportReader(value, path, this);
  }

  #members(): Record<string, unknown> | null {
    if (this.#value === undefined || this.#value === null) return null;
    if (typeof this.#value !== 'object' || Array.isArray(this.#value)) throw this.#wrong('an object');
    return this.#value as Record<string, unknown>;
  }

  #of(type: string, what: string): unknown {
    this.#markRead();
    if (this.#value === undefined || this.#value === null) return undefined;
    if (typeof this.#value !== type) throw this.#wrong(what);
    return this.#value;
  }

  #wrong(what: string): ImportError {
    return new ImportError(`${this.path || 'the file'} must be ${what}`);
  }
}

const says = (value: unknown): boolean => {
  if (value === undefined || value === null || value === false || value === '') return false;
  return typeof value !== 'object' || Object.values(value).some(says);
};
