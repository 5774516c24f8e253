import { Lexer, Parser } from 'yaml';

const MOST_LEVELS = 64;
/** The limit of open constructs at one place; each level has two or three. */
const MOST_OPEN = 4 * MOST_LEVELS;

/** Returns whether the nesting would overflow a recursive parser. The check itself does not recurse. */
export function nestsTooDeep(yaml: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(yaml)) {
    for (const _whole of parser.next(lexeme));
    if (parser.stack.length > MOST_OPEN) return true;
  }
  return false;
}

/** Bounded nesting also excludes cycles. */
export function isPlainJson(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value !== 'object')
    return ['string', 'boolean'].includes(typeof value) || value === null;
  const isTree = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return isTree && levels > 0 && Object.values(value).every((inside) => isPlainJson(inside, levels - 1));
}
