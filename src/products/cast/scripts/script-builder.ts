import { ApiError } from '../../../foundation/platform/errors.ts';
import type { Warning } from '../contract.ts';
import { LIMITS } from '../limits.ts';
import { pausesOf, saysSomething, wordsOf } from '../spoken-text.ts';
import type { Script, ScriptLine } from './contract.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Gathers the lines of a script, inside the limits. */
export class ScriptBuilder {
  readonly #lines: ScriptLine[] = [];
  readonly #warnings: Warning[] = [];
  #chapter: string | undefined;
  /** Pauses that precede the next line. */
  readonly #pauses: string[] = [];
  #silent = 0;

  /** The title of the chapter that the next line begins. */
  chapter(title: string): void {
    const plain = squeezed(title).slice(0, 200);
    if (plain !== '') this.#chapter = plain;
  }

  /** A line that says nothing, as `...` or `♪` do, is left out. */
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

  /** Text without words between two lines: its marks end the last line, its pauses begin the next. */
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
      this.warn('nothing_to_speak', `${this.#silent} lines say nothing and are left out.`);
    this.#silent = 0;
    return { lines: this.#lines, warnings: this.#warnings };
  }
}

export const tooManyLines = (): ApiError =>
  new ApiError(
    'payload_too_large',
    `The script has more than ${LIMITS.lines} lines, which is the most of one project. Make a project of each part.`,
    { param: 'script' },
  );

/** Every run of white space is one space. */
export const squeezed = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** Accepts every convention of line ends. */
export const linesOf = (script: string): readonly string[] => script.split(/\r\n|\r|\n/);

const isUpper = (letter: string): boolean => letter.toLowerCase() !== letter;
const isLower = (letter: string): boolean => letter.toUpperCase() !== letter;

/** Whether what stands before a colon is the name of somebody who speaks: a few words, each with a capital, a digit, or a
 * letter of a script without capitals. */
export function isName(text: string): boolean {
  if (text.length === 0 || text.length > LIMITS.speaker_characters) return false;
  const words = text.split(' ');
  if (words.length > 4) return false;
  return words.every((word) => {
    const letter = [...word].find((one) => /[\p{L}\p{N}]/u.test(one));
    return letter !== undefined && !isLower(letter) && !/[.!?,;"]/u.test(word.slice(0, -1));
  });
}

/** All of its letters are capitals, and it has some. */
export function isUpperCase(text: string): boolean {
  const letters = [...text].filter((letter) => /\p{L}/u.test(letter));
  return letters.length > 0 && letters.every((letter) => !isLower(letter)) && letters.some(isUpper);
}

export interface Noted {
  readonly text: string;
  readonly note?: string;
}

/** `(whispering) Come here.`: what stands in brackets before the words is about them. */
export function withoutNote(text: string): Noted {
  const plain = text.trim();
  if (!plain.startsWith('(')) return { text: plain };
  const end = plain.indexOf(')');
  if (end < 0 || end > 200) return { text: plain };
  const note = squeezed(plain.slice(1, end));
  const rest = plain.slice(end + 1).trim();
  return note === '' ? { text: rest } : { text: rest, note };
}
