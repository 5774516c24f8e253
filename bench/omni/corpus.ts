/** Settings are chosen on the recordings of the development half; only the other half is reported. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  atLevel,
  atVoiceLevel,
  clipOf,
  knockSound,
  LINE_RATE,
  levelOf,
  noise,
  overUlaw,
  type SpeechClip,
  sineTone,
  VOICE_DBFS,
} from '../../src/apps/caller/index.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { PROJECT_ROOT } from '../../src/foundation/platform/project-root.ts';
import { findFfmpeg } from '../../src/media/codec/index.ts';
import { wavOf } from '../harness/index.ts';
import type { Program } from './program.ts';

export type Half = 'development' | 'held-out';

interface Entry {
  readonly path: string;
  readonly text?: string;
  readonly lang: string;
  readonly kind: string;
  readonly seconds: number;
  readonly group: string;
}

const FOLDER = join(PROJECT_ROOT, '../shared/speech');
const LISTENING = /^(yes|yeah|okay|right|sure|uh-huh)$/i;
/** One word that may be a backchannel is no interruption. */
export const SAID_ALONE = /^\s*(yes|okay|right)\s*$/i;
export const SILENT_DBFS = -60;
const MOST_SAID_S = 3;
const LEVELS_DB = [0, -6, 0, 5];
/** The last level is that of the caller's own voice. */
export const NOISE_DBFS = [-40, -30, VOICE_DBFS];
const LISTENING_PHRASES = ['Mm-hmm.', 'Right.', 'Okay.', 'Uh-huh.', 'Yeah.', 'I see.', 'Sure.', 'Alright.'];
const BACKCHANNEL =
  /^((m+|mhm|mm-?h+m+|h+m+|u[hm]+-?h[ua]+[hm]*|ah|oh|yes|yeah|yep|right|okay|ok|i see|sure|all ?right)[ .,!?-]*)+$/i;
export const VOICES: Record<Half, readonly string[]> = {
  development: [
    'joe_en_us',
    'bella_en_us',
    'adam_en_us',
    'emma_en_gb',
    'nova_en_us',
    'alloy_en_us',
    'heart_en_us',
    'jessica_en_us',
    'echo_en_us',
    'fenrir_en_us',
    'onyx_en_us',
    'nicole_en_us',
    'isabella_en_gb',
    'daniel_en_gb',
  ],
  'held-out': [
    'michael_en_us',
    'sarah_en_us',
    'george_en_gb',
    'lily_en_gb',
    'puck_en_us',
    'kore_en_us',
    'aoede_en_us',
    'river_en_us',
    'sky_en_us',
    'eric_en_us',
    'liam_en_us',
    'alice_en_gb',
    'fable_en_gb',
    'lewis_en_gb',
  ],
};

export type Speaks = Pick<Program, 'speak'>;

export interface Recorded extends SpeechClip {
  readonly group: string;
}

export class Corpus {
  readonly #entries: Entry[];
  readonly #ffmpeg: string;
  readonly half: Half;

  constructor(half: Half) {
    this.half = half;
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

  speech(
    choose: (entry: { text: string; seconds: number }) => boolean,
    count: number,
    language = 'en',
  ): Recorded[] {
    const fit = this.#halfOf(this.#voices(language)).filter((entry) =>
      choose({ text: entry.text ?? '', seconds: entry.seconds }),
    );
    return spread(fit, count).map((entry) => ({
      ...atVoiceLevel(clipOf(entry, this.#decode(entry.path))),
      group: entry.group,
    }));
  }

  /**
   * The caller interrupts with each of these once: short recordings whole, and the beginning of longer ones except
   * AN4, which has many speakers in one recording environment. Three levels of voice alternate.
   */
  interruptions(): SpeechClip[] {
    const english = this.#halfOf(this.#voices('en')).filter(({ text }) => !SAID_ALONE.test(text ?? ''));
    const short = english.filter(({ seconds }) => seconds <= MOST_SAID_S);
    const long = english.filter(({ seconds, path }) => seconds > MOST_SAID_S && !path.startsWith('an4/'));
    const clips = [
      ...short.map((entry) => clipOf(entry, this.#decode(entry.path))),
      ...long.map((entry) => clipOf(entry, opening(this.#decode(entry.path)))),
    ];
    return clips.map((clip, at) => {
      const db = LEVELS_DB[at % LEVELS_DB.length] as number;
      return { ...atVoiceLevel(clip, db), path: db === 0 ? clip.path : `${clip.path} ${db} dB` };
    });
  }

  listening(): Recorded[] {
    const said = this.speech(({ text }) => LISTENING.test(text.trim()), 100);
    return [0, -6, 5].flatMap((db) =>
      said.map((clip) => ({ ...clip, ...atVoiceLevel(clip, db), kind: 'real backchannel' })),
    );
  }

  /**
   * The server's own Speak says backchannels in several voices. A voice may fail on a single word, so silence is no
   * trial.
   */
  async generatedSounds(program: Speaks, most: number): Promise<SpeechClip[]> {
    const clips: SpeechClip[] = [];
    const all = LISTENING_PHRASES.flatMap((input) => VOICES[this.half].map((voice) => ({ input, voice })));
    for (const { input, voice } of spread(all, most)) {
      const samples = await program.speak(input, voice);
      if (samples === null || levelOf(samples) <= SILENT_DBFS) continue;
      const named = { path: `${voice}: ${input}`, text: input, kind: 'generated backchannel' };
      clips.push(atVoiceLevel(clipOf(named, samples)));
    }
    return clips;
  }

  /**
   * A sound that Hear does not transcribe as a backchannel, even with silence before it, is a trial of its own kind.
   * The judge has no part in that: it hears the first moments, by another recognizer.
   */
  async generatedListening(program: Program, most: number): Promise<SpeechClip[]> {
    const clips: SpeechClip[] = [];
    for (const clip of await this.generatedSounds(program, most)) {
      const written = await program.transcribe(wavOf(withSilence(clip.samples), LINE_RATE), 'en');
      if (BACKCHANNEL.test(written.trim())) clips.push(clip);
      else clips.push({ ...clip, path: `${clip.path} (${written})`, kind: 'generated, not clear' });
    }
    return clips;
  }

  /** Each noise lasts two seconds, at each level. Each half has its own part of every recording. */
  noises({
    most = 24,
    levels = [-40, -30],
  }: {
    most?: number;
    levels?: readonly number[];
  } = {}): SpeechClip[] {
    const files = this.#entries.filter(({ kind, path }) => kind === 'noise' && !path.includes('rir'));
    const clips: SpeechClip[] = [];
    for (const { path } of files) {
      const whole = this.#decode(path);
      const middle = whole.length >> 1;
      const part = this.half === 'development' ? whole.subarray(0, middle) : whole.subarray(middle);
      const pieces = Math.max(1, Math.min(most, Math.floor(part.length / (2 * LINE_RATE))));
      for (let piece = 0; piece < pieces; piece++) {
        const at = Math.floor((piece * part.length) / pieces);
        const samples = part.subarray(at, at + 2 * LINE_RATE);
        for (const dbfs of levels) {
          clips.push(
            clipOf({ path: `${path}@${piece} ${dbfs}`, kind: 'real noise' }, atLevel(samples, dbfs)),
          );
        }
      }
    }
    return clips;
  }

  generatedNoises(): SpeechClip[] {
    const shift = this.half === 'development' ? 0 : 100;
    const sounds = [1, 2, 3, 4].flatMap((seed) => [
      { path: `white ${seed}`, samples: noise(1.5, seed + shift) },
      { path: `knock ${seed}`, samples: knockSound(seed + shift) },
      { path: `keys ${seed}`, samples: sineTone(0.4, 697 + 70 * seed, 1209 + 60 * seed + shift / 10) },
    ]);
    return sounds.map(({ path, samples }, at) => {
      const dbfs = NOISE_DBFS[Math.floor(at / 3) % NOISE_DBFS.length] as number;
      const named = { path: `${path} ${dbfs}`, kind: 'generated noise' };
      return clipOf(named, overUlaw(atLevel(samples, dbfs)));
    });
  }

  #voices(language: string): Entry[] {
    return this.#entries.filter(
      ({ lang, kind, path }) =>
        lang === language && kind !== 'noise' && kind !== 'tone' && path.endsWith('.wav'),
    );
  }

  #halfOf(entries: readonly Entry[]): Entry[] {
    const groups = [...new Set(entries.map(({ group }) => group))].sort();
    return entries.filter(({ group }) => (groups.indexOf(group) % 2 === 0) === (this.half === 'development'));
  }

  #decode(path: string): Int16Array {
    const args = [
      '-v',
      'error',
      '-i',
      join(FOLDER, path),
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
    return new Int16Array(stdout.buffer, stdout.byteOffset, stdout.length >> 1);
  }
}

function opening(decoded: Int16Array): Int16Array {
  const from = Math.max(0, clipOf({ path: '', kind: '' }, decoded).startMs - 300) * (LINE_RATE / 1000);
  return decoded.subarray(from, from + MOST_SAID_S * LINE_RATE);
}

function withSilence(samples: Int16Array): Buffer {
  const silence = Buffer.alloc(LINE_RATE);
  return Buffer.concat([silence, Buffer.from(Int16Array.from(samples).buffer), silence]);
}

export function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return Array.from({ length: count }, (_, at) => items[Math.floor((at * items.length) / count)] as T);
}
