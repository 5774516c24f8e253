/**
 * Figures of a level that this machine lacks come from the pages of Speak, Hear and Omni, where such a page was
 * measured on a machine with that level. The page names its date, its commit and its peers.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Report } from '../harness/index.ts';
import { LEVEL_NAMES } from './levels.ts';

const FIGURES: Readonly<Record<string, readonly string[]>> = {
  speak: [
    'real-time factor, Kokoro, in process',
    'first audio, p50, heart_en_us, pcm',
    'first audio, p95, heart_en_us, pcm',
  ],
  hear: [
    'word error, English clips, beside faster-whisper base int8, beam 1',
    'processor a stream, 8 at once',
    'English streams at once with p99 time to final under 1 s',
  ],
  'omni-amx': [
    'response latency p50, scripted server',
    'response latency p95, scripted server',
    'sessions at once with both goals of the response latency, every question answered, and at most one break a minute',
    'interruption latency, p50',
    'interruption latency, p95',
  ],
};

export function writeAmx(report: Report): void {
  const rows = Object.entries(FIGURES).flatMap(([page, names]) => rowsOf(page, names));
  if (rows.length === 0) return;
  report.heading(`${LEVEL_NAMES.amx}, on another machine`);
  report.text('This machine has no AMX. What the pages named have of a machine with it, on the day named.');
  report.table(['page', 'figure', 'value', 'unit'], rows);
}

/** Returns no rows where the page is of a machine without AMX, and leaves out figures that the page no longer has. */
function rowsOf(page: string, names: readonly string[]): string[][] {
  const lines = readFileSync(resolve('bench/reports', `${page}.md`), 'utf8').split('\n');
  const measured = lines.find((line) => line.startsWith('Measured '));
  if (!measured?.includes('amx_int8')) return [];
  const cells = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  return names.flatMap((name) => {
    const row = cells.find(([, first]) => first === name);
    return row === undefined ? [] : [[`[${page}](${page}.md), ${measured.slice(9, 19)}`, ...row.slice(1, 4)]];
  });
}
