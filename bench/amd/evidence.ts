/** Every trial is recognized once; the verdicts are computed later, for any number of settings. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { Engine, speechSettings } from '../../src/media/engine/index.ts';
import { generatedTrials, wantedSpeech } from './generated-trials.ts';
import { listen, type Recognized } from './listen.ts';
import { cadenceRule, type Peer } from './peers.ts';
import { realTrials } from './real-trials.ts';
import { type Half, Recordings } from './recordings.ts';
import { chanceOf } from './seeded-chance.ts';
import type { Call, Trial } from './trial.ts';
import { speakAll } from './voices.ts';

export interface HeardTrial extends Omit<Trial, 'build'>, Omit<Call, 'pcm'> {
  readonly heard: Recognized;
  readonly cadence: Peer;
}

const FOLDER = join('build-bench', 'amd');
const AT_ONCE = 6;
const QUICK = 16;

export async function withEngine<T>(use: (engine: Engine) => Promise<T>): Promise<T> {
  mkdirSync(FOLDER, { recursive: true });
  const engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(FOLDER) });
  // The engine alone does not keep the process alive.
  const awake = setInterval(() => {}, 60_000);
  try {
    await engine.prepared();
    return await use(engine);
  } finally {
    clearInterval(awake);
    engine.destroy();
  }
}

export async function trialsOf(half: Half, quick: boolean): Promise<Trial[]> {
  const recordings = new Recordings();
  await speakAll(quick ? wantedSpeech(half).filter((_, at) => at % QUICK === 0) : wantedSpeech(half));
  const all = [...realTrials(recordings, half), ...generatedTrials(recordings, half)];
  const mixed = all
    .map((trial) => ({ trial, place: chanceOf(trial.name).next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ trial }) => trial);
  return quick ? mixed.slice(0, Math.ceil(mixed.length / QUICK)) : mixed;
}

export async function hearAll(half: Half, trials: readonly Trial[]): Promise<HeardTrial[]> {
  const known = new Set(stored(half).map(({ name }) => name));
  const queue = trials.filter(({ name }) => !known.has(name)).values();
  await withEngine(async (engine) => {
    const work = async (): Promise<void> => {
      for (const { build, ...trial } of queue) {
        const { pcm, ...call } = build();
        keep(half, { ...trial, ...call, heard: await listen(engine, pcm), cadence: cadenceRule(pcm) });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  });
  const names = new Set(trials.map(({ name }) => name));
  return stored(half).filter(({ name }) => names.has(name));
}

const fileOf = (half: Half): string => join(FOLDER, `${half}.jsonl`);

export const forget = (half: Half): void => rmSync(fileOf(half), { force: true });

function keep(half: Half, heard: HeardTrial): void {
  appendFileSync(fileOf(half), `${JSON.stringify(heard)}\n`);
}

export function stored(half: Half): HeardTrial[] {
  if (!existsSync(fileOf(half))) return [];
  const lines = readFileSync(fileOf(half), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as HeardTrial);
}
