import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { Word } from '../reading/words.ts';
import { runLimited } from './limited.ts';

const LIMITS = { cpuSeconds: 90, memoryKilobytes: 1_500_000, openFiles: 64 };
const FOLDERS = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'];
const WORD = '5';

export interface Tesseract {
  readonly path: string;
  /** As it names itself: `5.3.0`. */
  readonly version: string;
}

/** The configured program, or the system's; null: there is none. */
export function findTesseract(configured: string | null): Tesseract | null {
  const paths = configured === null ? FOLDERS.map((folder) => join(folder, 'tesseract')) : [configured];
  const path = paths.find(isProgram);
  if (path === undefined) return null;
  const { stdout, stderr, status } = spawnSync(path, ['--version'], { env: {}, timeout: 5_000 });
  const version = /tesseract v?(\d+(\.\d+)*)/.exec(`${stdout}${stderr}`)?.[1];
  return status === 0 && version !== undefined ? { path, version } : null;
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
}

/** The words of a grey picture. Throws Unreadable. */
export async function readWords({ path }: Tesseract, pgm: Buffer, signal: AbortSignal): Promise<ReadPicture> {
  // It has no setting for threads but the environment.
  const args = [
    'OMP_THREAD_LIMIT=1',
    path,
    'stdin',
    'stdout',
    '-l',
    'eng',
    '--psm',
    '4',
    '--dpi',
    '300',
    'tsv',
  ];
  const { out } = await runLimited('/usr/bin/env', args, pgm, LIMITS, signal);
  return readTable(out.toString('utf8'));
}

interface Seen {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly sure: number;
}

export function readTable(table: string): ReadPicture {
  const rows = table.split('\n').map((line) => line.split('\t'));
  const page = rows.find(([level]) => level === '1');
  const [width, height] = [Number(page?.[8] ?? 1), Number(page?.[9] ?? 1)];
  const words = mended(rows.flatMap(seenIn).filter((seen) => !isSpeck(seen))).map((seen, index): Word => {
    const { left, top, right, bottom } = seen;
    const place = [left / width, top / height, right / width, bottom / height] as const;
    return {
      text: seen.text,
      place: place.map((share) => Math.round(share * 10_000) / 10_000) as unknown as Word['place'],
      confidence: Math.max(0, seen.sure / 100),
      index,
    };
  });
  return { ratio: height / width, words };
}

function seenIn([level, , , , , , x, y, wide, high, sure, text = '']: readonly string[]): Seen[] {
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
    },
  ];
}

/** A letter by itself that is hardly one: dirt of the glass, the edge of the sheet. */
const LEAST_SURE = 50;
const isSpeck = ({ text, sure }: Seen): boolean => sure < LEAST_SURE && /^[\p{L}\p{N}]$/u.test(text);

/** In heights of a letter: a capital that stands nearer to what goes on small was torn off it, as in `J ane`. */
const TORN_GAP = 0.45;

function mended(words: readonly Seen[]): Seen[] {
  const whole: Seen[] = [];
  for (const word of words) {
    const before = whole.at(-1);
    if (before !== undefined && isTorn(before, word)) whole[whole.length - 1] = joined(before, word);
    else whole.push(word);
  }
  return whole;
}

const isTorn = (a: Seen, b: Seen): boolean =>
  /^\p{Lu}$/u.test(a.text) &&
  /^\p{Ll}/u.test(b.text) &&
  b.left - a.right >= -2 &&
  b.left - a.right < TORN_GAP * (b.bottom - b.top) &&
  a.top < b.bottom &&
  b.top < a.bottom;

const joined = (a: Seen, b: Seen): Seen => ({
  text: a.text + b.text,
  left: a.left,
  top: Math.min(a.top, b.top),
  right: b.right,
  bottom: Math.max(a.bottom, b.bottom),
  sure: Math.min(a.sure, b.sure),
});
