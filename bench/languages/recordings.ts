import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atVoiceLevel, clipOf, LINE_RATE, type SpeechClip } from '../../src/apps/caller/index.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { PROJECT_ROOT } from '../../src/foundation/platform/project-root.ts';
import { findFfmpeg } from '../../src/media/codec/index.ts';

interface Entry {
  readonly path: string;
  readonly text?: string;
  readonly lang: string;
  readonly kind: string;
  readonly synthetic?: boolean;
}

const FOLDER = join(PROJECT_ROOT, '../shared/speech');

export class Recordings {
  readonly #entries: readonly Entry[];
  readonly #ffmpeg: string;

  constructor() {
    const manifest = join(FOLDER, 'manifest.jsonl');
    if (!existsSync(manifest)) throw new Error('the recordings are absent: ../shared/speech');
    this.#entries = readFileSync(manifest, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Entry);
    const ffmpeg = findFfmpeg(null, new Models());
    if (!ffmpeg) throw new Error('no ffmpeg: npx trunkline models fetch');
    this.#ffmpeg = ffmpeg.path;
  }

  in(language: string): SpeechClip[] {
    return this.#entries
      .filter(
        ({ lang, kind, synthetic }) =>
          lang === language && kind !== 'noise' && kind !== 'tone' && synthetic !== true,
      )
      .map((entry) => atVoiceLevel(clipOf(entry, this.#decode(entry.path))));
  }

  #decode(path: string): Int16Array {
    const rate = String(LINE_RATE);
    const args = ['-v', 'error', '-i', join(FOLDER, path), '-ac', '1', '-ar', rate, '-f', 's16le', '-'];
    const { stdout, status } = spawnSync(this.#ffmpeg, args, { maxBuffer: 1 << 28 });
    if (status !== 0) throw new Error(`${path} does not decode`);
    return new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1);
  }
}
