import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { Word } from '../reading/words.ts';
import { runSandboxed } from './sandboxed.ts';

const LIMITS = { cpuSeconds: 90, memoryKilobytes: 1_500_000, openFiles: 64 };
const FOLDERS = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];
const WORD = '5';

export interface Tesseract {
  readonly path: string;
  readonly version: string;
  readonly languages: readonly string[];
}

const found = new Map<string | null, Tesseract | null>();

/** Returns the configured program or that of the system, or null. The result is cached for all readers. */
export function findTesseract(configured: string | null): Tesseract | null {
  const known = found.get(configured);
  if (known !== undefined) return known;
  const tesseract = lookFor(configured);
  found.set(configured, tesseract);
  return tesseract;
}

function lookFor(configured: string | null): Tesseract | null {
  const paths = configured === null ? FOLDERS.map((folder) => join(folder, 'tesseract')) : [configured];
  const path = paths.find(isProgram);
  if (path === undefined) return null;
  const { stdout, stderr, status } = spawnSync(path, ['--version'], { env: {}, timeout: 5_000 });
  const version = /tesseract v?(\d+(\.\d+)*)/.exec(`${stdout}${stderr}`)?.[1];
  if (status !== 0 || version === undefined) return null;
  const listed = spawnSync(path, ['--list-langs'], { env: {}, timeout: 5_000 });
  const languages = `${listed.stdout}`.split('\n').filter((line) => /^[a-z_]{3,20}$/.test(line));
  return { path, version, languages };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface ReadPicture {
  readonly ratio: number;
  readonly words: readonly Word[];
  readonly paragraphs: readonly string[];
}

/** The mode is `form`, across the page, or `text`, column after column. */
export interface OcrOptions {
  readonly language: string;
  readonly layout: 'form' | 'text';
}
const LAYOUTS = { form: '4', text: '3' } as const;

export async function readWords(
  { path }: Tesseract,
  { language, layout }: OcrOptions,
  pgm: Buffer,
  signal: AbortSignal,
): Promise<ReadPicture> {
  // Tesseract takes its thread limit only from the environment.
  const args = [
    'OMP_THREAD_LIMIT=1',
    path,
    'stdin',
    'stdout',
    '-l',
    language,
    '--psm',
    LAYOUTS[layout],
    '--dpi',
    '300',
    'tsv',
  ];
  const { out } = await runSandboxed('/usr/bin/env', args, pgm, LIMITS, signal);
  return readTable(out.toString('utf8'));
}

interface OcrWord {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly sure: number;
  readonly paragraph: string;
  readonly line: string;
}

export function readTable(table: string): ReadPicture {
  const rows = table.split('\n').map((line) => line.split('\t'));
  const page = rows.find(([level]) => level === '1');
  const [width, height] = [Number(page?.[8] ?? 1), Number(page?.[9] ?? 1)];
  const seen = mended(rows.flatMap(seenIn).filter((one) => !isSpeck(one)));
  const words = seen.map(({ left, top, right, bottom, text, sure }, index): Word => {
    const place = [left / width, top / height, right / width, bottom / height] as const;
    return {
      text,
      place: place.map((share) => Math.round(share * 10_000) / 10_000) as unknown as Word['place'],
      confidence: Math.max(0, sure / 100),
      index,
    };
  });
  return { ratio: height / width, words, paragraphs: paragraphsOf(seen) };
}

function paragraphsOf(seen: readonly OcrWord[]): string[] {
  const paragraphs: string[] = [];
  for (const [at, { text, paragraph, line }] of seen.entries()) {
    const before = seen[at - 1];
    const said = paragraphs.at(-1);
    if (said === undefined || before?.paragraph !== paragraph) paragraphs.push(text);
    else if (before.line !== line && /\p{Ll}-$/u.test(said) && /^\p{Ll}/u.test(text))
      paragraphs[paragraphs.length - 1] = said.slice(0, -1) + text;
    else paragraphs[paragraphs.length - 1] = `${said} ${text}`;
  }
  return paragraphs;
}

function seenIn(row: readonly string[]): OcrWord[] {
  const [level, , block, part, inside, , x, y, wide, high, sure, text = ''] = row;
  if (level !== WORD || text.trim() === '') return [];
  const [left, top] = [Number(x), Number(y)];
  return [
    {
      text: text.trim(),
      left,
      top,
      right: left + Number(wide),
      bottom: top + Number(high),
      sure: Number(sure),
      paragraph: `${block}.${part}`,
      line: `${block}.${part}.${inside}`,
    },
  ];
}

/** A single character below this confidence is likely dirt or the edge of the sheet. */
const LEAST_SURE = 50;
const isSpeck = ({ text, sure }: OcrWord): boolean => sure < LEAST_SURE && /^[\p{L}\p{N}]$/u.test(text);

/**
 * Units of letter height: a capital this close to the lower-case letters after it was split from them, as in `J
 * ane`.
 */
const TORN_GAP = 0.45;

function mended(words: readonly OcrWord[]): OcrWord[] {
  const whole: OcrWord[] = [];
  for (const word of words) {
    const before = whole.at(-1);
    if (before !== undefined && isTorn(before, word)) whole[whole.length - 1] = joined(before, word);
    else whole.push(word);
  }
  return whole;
}

const isTorn = (a: OcrWord, b: OcrWord): boolean =>
  /^\p{Lu}$/u.test(a.text) &&
  /^\p{Ll}/u.test(b.text) &&
  b.left - a.right >= -2 &&
  b.left - a.right < TORN_GAP * (b.bottom - b.top) &&
  a.top < b.bottom &&
  b.top < a.bottom;

const joined = (a: OcrWord, b: OcrWord): OcrWord => ({
  ...a,
  text: a.text + b.text,
  top: Math.min(a.top, b.top),
  right: b.right,
  bottom: Math.max(a.bottom, b.bottom),
  sure: Math.min(a.sure, b.sure),
});
