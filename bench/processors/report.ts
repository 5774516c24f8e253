import { byLength, type FigureInput, type Goal, percentile, type Report } from '../harness/index.ts';
import { writeByLength } from '../omni/report/by-length.ts';
import { waitsOf } from '../omni/report/response-latency.ts';
import { withoutBrain } from '../omni/response-latency.ts';
import type { SpectralMatch } from '../speak/spectral-match.ts';
import { FIRST_AUDIO_GOAL_MS } from '../speak/voices.ts';
import { writeAmx } from './amx-report.ts';
import { writeHear } from './hear-report.ts';
import { writeInterruptions } from './interruptions-report.ts';
import { LEVEL_NAMES, LEVELS, type Level } from './levels.ts';
import { writeMachine, writeProfile } from './limits-report.ts';
import {
  isStored,
  type StoredPart,
  storedAtEachLevel,
  storedFor,
  storedMachine,
  storedParts,
} from './part-store.ts';
import { PART_NAMES } from './parts.ts';
import { middles } from './repeats.ts';
import { writeLoad, writeSessions } from './sessions-report.ts';
import type { SimilarityData } from './similarity.ts';
import type { FirstAudioOf } from './speak.ts';

type Goals = Readonly<Partial<Record<Level, Goal>>>;
const everywhere = (goal: Goal): Goals => ({ avx2: goal, avx512: goal, amx: goal });

export function writeReport(report: Report, here: readonly Level[], quick: boolean): void {
  reportLevels(report, here);
  const machine = storedMachine(quick);
  if (machine) writeMachine(report, machine.data);
  writeSpeak(report, here, quick);
  writeRepeats(report, here, quick);
  writeSimilarity(report, here, quick);
  writeHear(report, here, quick);
  writeResponseLatencies(report, here, quick);
  for (const voice of ['piper', 'hibari', 'kokoro'] as const) writeSessions(report, here, voice, quick);
  writeLoad(report, here, quick);
  writeInterruptions(report, here, quick);
  for (const level of here) {
    const profile = storedFor(report, level, 'profile', quick);
    if (profile) writeProfile(report, level, profile, machine?.data);
  }
  if (!here.includes('amx')) writeAmx(report);
  reportOrigins(report, here, quick);
}

function reportLevels(report: Report, here: readonly Level[]): void {
  const absent = LEVELS.filter((level) => !here.includes(level)).map((level) => LEVEL_NAMES[level]);
  report.text(
    'Each part ran in a process that is held to one kind of processor: `TRUNKLINE_CPU` narrows the kernels of the engine, and the inference ' +
      'library is a copy that finds no wider registers than the level has (`bench/processors/patch-cpuid.ts`). Other libraries, and the ' +
      'compiler’s own choices, keep what they have.' +
      (absent.length > 0
        ? ` This machine has no ${absent.join(' and no ')}: that level has no figures here.`
        : ''),
  );
}

function figureOf(report: Report, level: Level, goals: Goals, input: FigureInput): void {
  const goal = goals[level];
  report.figure({
    ...input,
    name: `${LEVEL_NAMES[level]}: ${input.name}`,
    ...(goal === undefined ? {} : { goal }),
  });
}

function writeSpeak(report: Report, here: readonly Level[], quick: boolean): void {
  report.heading('Speak');
  report.text(
    'Thirty prompts in the Kokoro voice over HTTP, one after another, on two threads of inference: until the first sample above −40 dBFS has arrived, and the time for all beside the time of what was made.',
  );
  for (const { level, data } of storedAtEachLevel(report, here, 'speak', quick)) {
    const factor: Goals = { avx2: { atMost: 0.3 }, avx512: { atMost: 0.22 }, amx: { atMost: 0.22 } };
    figureOf(report, level, factor, { name: 'real-time factor, Kokoro', value: data.factor, unit: '' });
    const middle = {
      name: 'real-time factor, Kokoro, the median prompt',
      value: percentile(data.factors, 0.5),
    };
    figureOf(report, level, {}, { ...middle, unit: '' });
    const processor = {
      name: 'processor time of a second of speech, Kokoro',
      value: data.processor,
      unit: 's',
    };
    figureOf(report, level, {}, processor);
    for (const [share, most] of [[0.5, 300] as const, [0.95, 450] as const]) {
      const name = `first audio p${share * 100}, Kokoro`;
      const value = percentile(data.firstMs, share);
      figureOf(report, level, everywhere({ atMost: most }), { name, value, unit: 'ms' });
    }
    writeFirstAudioByLength(report, level, data.byLength ?? []);
  }
}

function writeFirstAudioByLength(report: Report, level: Level, found: readonly FirstAudioOf[]): void {
  for (const voice of new Set(found.map((one) => one.voice))) {
    const own = found.filter((one) => one.voice === voice);
    const goal = everywhere({ atMost: FIRST_AUDIO_GOAL_MS[voice]! });
    const notify = (what: string, some: readonly FirstAudioOf[]) => {
      const ms = (share: number) =>
        percentile(
          some.map((one) => one.ms),
          share,
        );
      const processor = percentile(
        some.map((one) => one.processorMs),
        0.5,
      );
      const name = `${voice}, first clause of ${what}`;
      figureOf(report, level, {}, { name: `first audio p50, ${name}`, value: ms(0.5), unit: 'ms' });
      figureOf(report, level, goal, { name: `first audio p95, ${name}`, value: ms(0.95), unit: 'ms' });
      figureOf(
        report,
        level,
        {},
        { name: `processor time before the first audio p50, ${name}`, value: processor, unit: 'ms' },
      );
    };
    notify('any length', own);
    for (const { words, values } of byLength(own, (one) => one.words)) notify(`${words} words`, values);
  }
}

const ORDINALS = ['first', 'second', 'third'];

function writeRepeats(report: Report, here: readonly Level[], quick: boolean): void {
  if (!isStored(here, 'repeats', quick)) return;
  report.heading('Omni: what is said again');
  report.text(
    'Eight short texts in the Kokoro voice by `say`, one after another, and all of them three times: from the order to the first sound at the caller’s ear. The sound is kept at the second time, and served from the third on.',
  );
  for (const { level, data } of storedAtEachLevel(report, here, 'repeats', quick)) {
    for (const [time, middle] of middles(data).entries()) {
      const name = `said the ${ORDINALS[time]} time: first sound p50`;
      figureOf(report, level, {}, { name, value: Math.round(middle), unit: 'ms' });
      const processor = { name: `said the ${ORDINALS[time]} time: the server’s processor`, unit: 's' };
      figureOf(report, level, {}, { ...processor, value: data.processor[time]! });
    }
  }
}

function writeSimilarity(report: Report, here: readonly Level[], quick: boolean): void {
  if (!isStored(here, 'likeness', quick)) return;
  report.heading('Speak: likeness');
  report.text(
    'Sentences in the Kokoro voice, pair by pair with the published graph on the inference library as it is: the mel-cepstral distance of frames that belong to each other, and the difference of their pitch (median of a sentence). Beside it the published graph with itself, and another voice: what is no difference, and what is one. No estimator of opinions (MOS) is used.',
  );
  const rows: (string | number)[][] = [];
  for (const { level, data } of storedAtEachLevel(report, here, 'likeness', quick)) {
    const { decibels, semitones } = meanOf(data.product);
    const colour = { name: 'mel-cepstral distance from the published graph', value: decibels, unit: 'dB' };
    figureOf(report, level, everywhere({ atMost: LIKE.decibels }), colour);
    const melody = { name: 'pitch apart from the published graph', value: semitones, unit: 'semitones' };
    figureOf(report, level, everywhere({ atMost: LIKE.semitones }), melody);
    for (const pair of ['product', 'itself', 'another'] as const) {
      const mean = meanOf(data[pair]);
      rows.push([LEVEL_NAMES[level], PAIRS[pair], data[pair].length, mean.decibels, mean.semitones]);
    }
  }
  report.table(['level', 'beside the published graph', 'sentences', 'dB', 'semitones'], rows);
}

const LIKE = { decibels: 4, semitones: 0.5 };
const PAIRS: Readonly<Record<keyof SimilarityData, string>> = {
  product: 'the product',
  itself: 'the published graph again',
  another: 'another voice of the product',
};

function meanOf(all: readonly SpectralMatch[]): SpectralMatch {
  const mean = (of: (one: SpectralMatch) => number) =>
    all.reduce((sum, one) => sum + of(one), 0) / all.length;
  return { decibels: mean(({ decibels }) => decibels), semitones: mean(({ semitones }) => semitones) };
}

function writeResponseLatencies(report: Report, here: readonly Level[], quick: boolean): void {
  report.heading('Omni: the gap');
  report.text(
    'From the last sound of a question to the first of the answer at the caller’s ear, with the default voice (Kokoro) and a scripted model whose own delay is left out.',
  );
  for (const { level, data } of storedAtEachLevel(report, here, 'gaps', quick)) {
    const missed = data.early + data.unanswered.length;
    const asked = { name: 'answered too early, or not at all', value: missed };
    figureOf(report, level, everywhere({ atMost: 0 }), { ...asked, unit: `of ${data.gaps.length + missed}` });
    if (data.gaps.length === 0) continue;
    const all = withoutBrain(data.gaps);
    for (const [share, most] of [[0.5, 700] as const, [0.95, 1100] as const]) {
      const figure = { name: `gap p${share * 100}`, value: Math.round(percentile(all, share)), unit: 'ms' };
      figureOf(report, level, everywhere({ atMost: most }), figure);
    }
    writeByLength(report, waitsOf(data.gaps), LEVEL_NAMES[level]);
  }
}

function reportOrigins(report: Report, here: readonly Level[], quick: boolean): void {
  report.heading('When each part was measured');
  const row = (level: string, part: string, one?: StoredPart<unknown>) => [
    level,
    part,
    one?.measured.slice(0, 16).replace('T', ' ') ?? 'never',
    one?.commit ?? null,
    one?.load ?? null,
  ];
  const rows = [
    row('each', 'machine', storedMachine(quick)),
    ...here.flatMap((level) =>
      PART_NAMES.map((part) => row(LEVEL_NAMES[level], part, storedParts(level, part, quick))),
    ),
  ];
  report.table(['level', 'part', 'measured (UTC)', 'commit', 'load when it ended'], rows);
}
