import { ApiError } from '../../../foundation/platform/errors.ts';
import type { Warning } from '../contract.ts';
import { LIMITS } from '../limits.ts';
import { pausesOf, saysSomething, wordsOf } from '../spoken-text.ts';
import type { Script, ScriptLine } from './contract.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class ScriptBuilder {
  readonly #lines: ScriptLine[] = [];
  readonly #warnings: Warning[] = [];
  #chapter: string | undefined;
  readonly #pauses: string[] = [];
  #silent = 0;

  chapter(title: string): void {
    const plain = squeezed(title).slice(0, 200);
    if (plain !== '') this.#chapter = plain;
  }

  /** Leaves out a line without words, such as `...` or `♪`. */
  add(line: ScriptLine): void {
    const text = squeezed(line.text);
    if (saysSomething(text)) {
      this.#keep(line, [...this.#pauses.splice(0), text].join(' '));
      return;
    }
    const pauses = pausesOf(text);
    if (pauses !== '') this.#pauses.push(pauses);
    if (text !== pauses) this.#silent += 1;
  }

  /** The punctuation of text without words ends the last line, and its pauses begin the next. */
  between(text: string): void {
    const last = this.#lines.at(-1);
    if (last !== undefined)
      this.#lines[this.#lines.length - 1] = { ...last, text: last.text + wordsOf(text) };
    const pauses = pausesOf(text);
    if (pauses !== '') this.#pauses.push(pauses);
  }

  #keep(line: ScriptLine, text: string): void {
    if (this.#lines.length === LIMITS.lines) throw tooManyLines();
    const added: Mutable<ScriptLine> = { ...line, text };
    if (this.#chapter !== undefined) added.chapter = this.#chapter;
    this.#chapter = undefined;
    this.#lines.push(added);
  }

  warn(code: string, message: string, line?: number): void {
    if (this.#warnings.length >= LIMITS.warnings) return;
    this.#warnings.push(line === undefined ? { code, message } : { code, message, line });
  }

  get script(): Script {
    if (this.#silent > 0)
      this.warn('nothing_to_speak', `${this.#silent} lines have nothing to speak and are skipped.`);
    this.#silent = 0;
    return { lines: this.#lines, warnings: this.#warnings };
  }
}

export const tooManyLines = (): ApiError =>
  new ApiError(
    'payload_too_large',
    `The script has more than ${LIMITS.lines} lines, the limit of a project. Split it into several projects.`,
    { param: 'script' },
  );

export const squeezed = (text: string): string => text.replace(/\s+/gu, ' ').trim();

export const linesOf = (script: string): readonly string[] => script.split(/\r\n|\r|\n/);

const isUpper = (letter: string): boolean => letter.toLowerCase() !== letter;
const isLower = (letter: string): boolean => letter.toUpperCase() !== letter;

/**
 * A name before a colon has a few words, each beginning with a capital, a digit, or a letter of a script without
 * capitals.
 */
export function isName(text: string): boolean {
  if (text.length === 0 || text.length > LIMITS.speaker_characters) return false;
  const words = text.split(' ');
  if (words.length > 4) return false;
  return words.every((word) => {
    const letter = [...word].find((one) => /[\p{L}\p{N}]/u.test(one));
    return letter !== undefined && !isLower(letter) && !/[.!?,;"]/u.test(word.slice(0, -1));
  });
}

export function isUpperCase(text: string): boolean {
  const letters = [...text].filter((letter) => /\p{L}/u.test(letter));
  return letters.length > 0 && letters.every((letter) => !isLower(letter)) && letters.some(isUpper);
}

export interface Noted {
  readonly text: string;
  readonly note?: string;
}

/** Separates a note in brackets from the words behind it, as in `(whispering) Come here.` */
export function withoutNote(text: string): Noted {
  const plain = text.trim();
  if (!plain.startsWith('(')) return { text: plain };
  const end = plain.indexOf(')');
  if (end < 0 || end > 200) return { text: plain };
  const note = squeezed(plain.slice(1, end));
  const rest = plain.slice(end + 1).trim();
  return note === '' ? { text: rest } : { text: rest, note };
}
