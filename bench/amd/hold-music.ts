import type { Engine } from '../../src/media/engine/index.ts';
import { DEFAULTS, type Models } from '../../src/speech/amd/index.ts';
import { percentile, type Report } from '../harness/index.ts';
import { withEngine } from './evidence.ts';
import { judge, listen } from './listen.ts';
import { type Recording, Recordings } from './recordings.ts';
import { chanceOf } from './seeded-chance.ts';
import {
  atLineLevel,
  joined,
  LINE_RATE,
  lineOf,
  msOf,
  noiseFrom,
  overLine,
  samplesOf,
  silence,
} from './sound.ts';
import { trimmed } from './trial.ts';

const MUSIC_MS = 12_000;
const SPEECH_MS = 2500;
const TRIALS = 16;

interface Followed {
  readonly musicFromMs: number;
  readonly musicToMs: number;
  readonly holdMs: number | undefined;
  readonly endMs: number | undefined;
  readonly times: number;
}

export async function holdPart(report: Report, models: Models, quick: boolean): Promise<void> {
  const recordings = new Recordings();
  const pieces = recordings.holdMusic('held-out');
  report.heading('Hold music');
  if (pieces.length === 0) {
    report.text('Not measured: Debian’s package asterisk-moh-opsound-wav is not installed.');
    return;
  }
  const people = recordings.people('held-out').filter(({ seconds }) => seconds > 1.2);
  const followed = await withEngine(async (engine) => {
    const all: Followed[] = [];
    for (let at = 0; at < (quick ? 2 : TRIALS); at++) {
      const person = people[(at * 7) % people.length]!;
      all.push(await follow(engine, models, recordings, pieces[at % pieces.length]!, person, at));
    }
    return all;
  });
  reportHolds(report, followed, pieces.length);
}

async function follow(
  engine: Engine,
  models: Models,
  recordings: Recordings,
  piece: string,
  person: Recording,
  which: number,
): Promise<Followed> {
  const chance = chanceOf(`hold ${which}`);
  const line = lineOf(chance, recordings.noises('held-out'));
  const music = recordings.decode(piece);
  const from = Math.floor(chance.next() * (music.length - samplesOf(MUSIC_MS)));
  const said = atLineLevel(
    trimmed(recordings.decode(person.path)).subarray(0, samplesOf(SPEECH_MS)),
    line.dbfs,
  );
  const before = joined(silence(500), said, silence(2500));
  const hold = atLineLevel(music.subarray(from, from + samplesOf(MUSIC_MS)), line.dbfs - 3);
  const call = joined(before, hold, silence(600), said, silence(3500));
  const noise =
    line.noise === null
      ? null
      : noiseFrom(recordings.decode(line.noise.name), call.length, line.noise.dbfs, chance);
  const heard = await listen(engine, overLine(call, line, noise, chance));
  const { updates } = judge(heard, models, { ...DEFAULTS, mode: 'follow' });
  const hold1 = updates.find(({ to }) => to === 'hold');
  return {
    musicFromMs: msOf(before.length),
    musicToMs: msOf(before.length + hold.length),
    holdMs: hold1?.atMs,
    endMs: updates.find(({ from: was, atMs }) => was === 'hold' && atMs > msOf(before.length + hold.length))
      ?.atMs,
    times: updates.length,
  };
}

function reportHolds(report: Report, followed: readonly Followed[], pieces: number): void {
  const held = followed.filter(({ holdMs, musicFromMs }) => holdMs !== undefined && holdMs >= musicFromMs);
  const ended = held.filter(({ endMs }) => endMs !== undefined);
  const after = ended.map(({ endMs, musicToMs }) => (endMs! - musicToMs) / 1000);
  report.text(
    `${followed.length} calls: a person, ${MUSIC_MS / 1000} s of ${pieces} recorded pieces at ${LINE_RATE} Hz, and the person again.`,
  );
  report.figure({
    name: 'hold music found',
    value: Math.round((1000 * held.length) / followed.length) / 10,
    unit: '%',
  });
  report.figure({
    name: 'person back after hold, told',
    value: Math.round((1000 * ended.length) / followed.length) / 10,
    unit: '%',
  });
  if (after.length > 0)
    report.figure({
      name: 'hold end after the music, p50',
      value: Math.round(100 * percentile(after, 0.5)) / 100,
      unit: 's',
    });
}
