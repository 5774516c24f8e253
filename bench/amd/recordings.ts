/** Groups of recordings are split into two halves: settings are chosen on one, and figures come from the other. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { PROJECT_ROOT } from '../../src/foundation/platform/project-root.ts';
import { findFfmpeg } from '../../src/media/codec/index.ts';
import { LINE_RATE } from './sound.ts';

export type Half = 'fitted' | 'held-out';

export interface Recording {
  readonly path: string;
  readonly lang: string;
  readonly kind: string;
  readonly seconds: number;
  readonly group: string;
  readonly synthetic?: boolean;
}

const FOLDER = join(PROJECT_ROOT, '../shared/speech');
const HOLD_MUSIC = '/usr/share/asterisk/moh';

export class Recordings {
  readonly #all: readonly Recording[];
  readonly #ffmpeg: string;
  readonly #decoded = new Map<string, Int16Array>();

  constructor() {
    const manifest = join(FOLDER, 'manifest.jsonl');
    if (!existsSync(manifest)) throw new Error('the recordings are absent: ../shared/speech');
    this.#all = readFileSync(manifest, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Recording)
      .filter(({ synthetic }) => !synthetic);
    const ffmpeg = findFfmpeg(null, new Models());
    if (!ffmpeg) throw new Error('no ffmpeg: npx trunkline models fetch');
    this.#ffmpeg = ffmpeg.path;
  }

  prompts(half: Half): readonly Recording[] {
    return halfOf(
      this.#all.filter(({ kind }) => kind === 'ivr' || kind === 'voicemail'),
      half,
    );
  }

  people(half: Half): readonly Recording[] {
    return halfOf(
      this.#all.filter(
        ({ kind, path }) => kind === 'spontaneous' || kind === 'conversation' || path.startsWith('an4/'),
      ),
      half,
    );
  }

  noises(half: Half): readonly string[] {
    const noises = this.#all.filter(({ kind, path }) => kind === 'noise' && !path.includes('rir'));
    return noises.filter((_, at) => at % 2 === (half === 'fitted' ? 0 : 1)).map(({ path }) => path);
  }

  holdMusic(half: Half): readonly string[] {
    if (!existsSync(HOLD_MUSIC)) return [];
    const pieces = readdirSync(HOLD_MUSIC)
      .filter((name) => name.endsWith('.wav'))
      .sort();
    return pieces
      .filter((_, at) => at % 2 === (half === 'fitted' ? 0 : 1))
      .map((name) => join(HOLD_MUSIC, name));
  }

  decode(path: string): Int16Array {
    const known = this.#decoded.get(path);
    if (known) return known;
    const file = path.startsWith('/') ? path : join(FOLDER, path);
    const form = path.endsWith('.gsm') ? ['-f', 'gsm', '-ar', '8000'] : [];
    const args = [
      '-v',
      'error',
      ...form,
      '-i',
      file,
      '-ac',
      '1',
      '-ar',
      String(LINE_RATE),
      '-f',
      's16le',
      '-',
    ];
    const { stdout, status } = spawnSync(this.#ffmpeg, args, { maxBuffer: 1 << 28 });
    if (status !== 0) throw new Error(`${path} does not decode`);
    const samples = new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1);
    this.#decoded.set(path, samples);
    return samples;
  }
}

/**
 * Takes every other group, by language and name: both halves have prompts in most languages, and no speaker is in
 * both.
 */
function halfOf(recordings: readonly Recording[], half: Half): readonly Recording[] {
  const keys = new Map<string, string>();
  for (const { group, lang } of recordings) if (!keys.has(group)) keys.set(group, `${lang} ${group}`);
  const groups = [...keys].sort(([, one], [, other]) => (one < other ? -1 : 1)).map(([group]) => group);
  const side = half === 'fitted' ? 0 : 1;
  return recordings.filter(({ group }) => groups.indexOf(group) % 2 === side);
}
