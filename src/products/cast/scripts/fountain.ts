/**
 * Parses Fountain, the plain text of screenwriters (fountain.io): a name in capitals stands above its speech. Scene
 * headings and sections begin chapters; action is not spoken.
 */
import { emphasisAlone } from '../emphasis.ts';
import type { Script } from './contract.ts';
import { isUpperCase, linesOf, ScriptBuilder, squeezed, withoutNote } from './script-builder.ts';

const SCENE = /^(?:INT|EXT|EST|I\/E|INT\.?\/EXT)[. ]/iu;
const TITLE_KEY = /^[A-Za-z][A-Za-z ]{0,30}:/u;

export function readFountain(text: string): Script {
  const gathering = new ScriptBuilder();
  const lines = withoutTitlePage(linesOf(withoutAsides(text)));
  let actions = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!.trim();
    const heading = headingOf(line);
    if (heading !== null) gathering.chapter(heading);
    else if (isCue(lines, at)) at = readSpeech(lines, at, gathering);
    else if (line !== '' && !line.startsWith('=') && !line.startsWith('>')) actions += 1;
  }
  if (actions > 0) {
    gathering.warn('action_not_spoken', `${actions} lines of action are not spoken.`);
  }
  return gathering.script;
}

/** Removes notes in [[ ]] and comments between slash and star, which may span lines. */
function withoutAsides(text: string): string {
  return without(without(text, '/*', '*/'), '[[', ']]');
}

function without(text: string, open: string, close: string): string {
  let speaker = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) return speaker + text.slice(from);
    speaker += text.slice(from, start);
    from = end + close.length;
  }
}

function withoutTitlePage(lines: readonly string[]): readonly string[] {
  if (!TITLE_KEY.test(lines[0] ?? '') || isUpperCase((lines[0] ?? '').split(':')[0]!)) return lines;
  const empty = lines.findIndex((line) => line.trim() === '');
  return empty < 0 ? [] : lines.slice(empty);
}

function headingOf(line: string): string | null {
  if (line.startsWith('#')) return line.replace(/^#+/u, '');
  if (line.startsWith('.') && !line.startsWith('..')) return line.slice(1);
  return SCENE.test(line) ? line : null;
}

/** A cue is in capitals, after an empty line and above text; `@` makes a cue of any name. */
function isCue(lines: readonly string[], at: number): boolean {
  const line = lines[at]!.trim();
  if ((lines[at + 1] ?? '').trim() === '') return false;
  if (line.startsWith('@')) return nameOf(line) !== '';
  if ((lines[at - 1] ?? '').trim() !== '' || line.startsWith('!') || line.startsWith('>')) return false;
  return isUpperCase(nameOf(line)) && !line.endsWith(' TO:');
}

/** Removes `(V.O.)` and the sign of dual dialogue. */
function nameOf(line: string): string {
  const plain = line.replace(/^@/u, '').replace(/\^$/u, '');
  const bracket = plain.indexOf('(');
  return squeezed(bracket < 0 ? plain : plain.slice(0, bracket)).slice(0, 64);
}

/** Returns the index of the last line of the speech. */
function readSpeech(lines: readonly string[], cue: number, gathering: ScriptBuilder): number {
  const speaker = nameOf(lines[cue]!.trim());
  let note: string | undefined;
  let words: string[] = [];
  const close = () => {
    const text = plainOf(words.join(' '));
    gathering.add(note === undefined ? { speaker, text } : { speaker, text, note });
    words = [];
    note = undefined;
  };
  let at = cue + 1;
  for (; at < lines.length && lines[at]!.trim() !== ''; at += 1) {
    const line = lines[at]!.trim();
    const read = withoutNote(line);
    if (read.note === undefined || read.text !== '') {
      words.push(line.replace(/^~/u, ''));
      continue;
    }
    if (words.length > 0) close();
    note = read.note;
  }
  close();
  return at - 1;
}

const plainOf = (text: string): string =>
  emphasisAlone(text.replaceAll('\\*', '＊').replaceAll('\\_', '＿').replaceAll('\\', ''));
