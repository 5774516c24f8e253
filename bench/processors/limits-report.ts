import { statSync } from 'node:fs';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { formatValue, type Report } from '../harness/index.ts';
import { LEVEL_NAMES, type Level } from './levels.ts';
import type { MachineData } from './machine.ts';
import { type Profile, STAGE_NAMES } from './profile.ts';

const BILLION = 1e9;

export function writeMachine(report: Report, { peaks, library }: MachineData): void {
  report.heading('What this machine can do');
  report.text(
    'Peaks of loops that do nothing else, in billions a second: products with their sums, of floats and of bytes, and bytes read from memory (256 MB a thread). A goal of time that needs more than these has no schedule that meets it.',
  );
  report.table(
    ['peak', 'one thread', 'two threads'],
    [...new Set(peaks.map(({ name }) => name))].map((name) => [
      name,
      ...[1, 2].map((count) => rateOf(peaks, name, count) / BILLION),
    ]),
  );
  report.text(
    'What the inference library makes on one thread of a product of 256 × 1,024 by 1,024 × 1,024, in billions of products a second: that a level is one is seen here.',
  );
  report.table(
    ['level', 'floats', 'bytes'],
    Object.entries(library).map(([level, { floats, bytes }]) => [LEVEL_NAMES[level as Level], floats, bytes]),
  );
  writeSteps(report, peaks);
}

/**
 * A step of a model reads these weights whole, because they exceed a core's own cache: files, or megabytes after
 * loading.
 */
const STEPS: readonly (readonly [step: string, read: readonly string[] | number])[] = [
  ['the sound of a partial (Moonshine)', ['moonshine-tiny-en/encoder.ort']],
  ['a word of a partial (Moonshine)', ['moonshine-tiny-en/decoder.ort']],
  ['the sound of a final (Whisper)', ['whisper-base/encoder.onnx']],
  ['a word of a final (Whisper)', ['whisper-base/decoder.onnx']],
  ['an end of turn (Smart Turn)', ['smart-turn/smart-turn-v3.2.onnx']],
  ['a frame of 32 ms (Silero)', ['silero-vad/silero_vad.onnx']],
  ['a clause’s prosody (Kokoro)', ['kokoro/prosody.onnx']],
  ['a clause’s features (Kokoro’s decoder)', ['kokoro/decoder.onnx']],
  ['a stretch of 0.2 to 0.8 s (Kokoro’s generator)', 150],
  ['a clause (Piper)', ['piper-joe/joe-text.onnx', 'piper-joe/joe-flow.onnx', 'piper-joe/joe-decoder.onnx']],
];

function writeSteps(report: Report, peaks: MachineData['peaks']): void {
  const models = new Models();
  const rate = rateOf(peaks, 'memory', 1);
  report.text(
    'What a step reads at least once, and how long that takes by memory alone where no cache holds it.',
  );
  report.table(
    ['step', 'MB', 'least by memory, ms'],
    STEPS.map(([step, read]) => {
      if (typeof read === 'number') return [step, read, (1e9 * read) / rate];
      const bytes = read.reduce((sum, file) => sum + statSync(models.path(file)).size, 0);
      return [step, bytes / 1e6, (1000 * bytes) / rate];
    }),
  );
}

const rateOf = (peaks: MachineData['peaks'], name: string, count: number): number =>
  peaks.find((peak) => peak.name === name && peak.threads === count)?.rate ?? Number.NaN;

/**
 * Billions of multiplications of floats for a second of speech, 24 by direct convolution (decision 070,
 * docs/lab/processors.md).
 */
const GENERATOR = { stage: 'voice: generator (Kokoro)', billions: 8.9 };

export function writeProfile(
  report: Report,
  level: Level,
  profile: Profile,
  machine: MachineData | undefined,
): void {
  const { seconds, agentSeconds } = profile;
  report.heading(`One call second by second, ${LEVEL_NAMES[level]}`);
  report.text(
    `A caller who asks, hears the answer out and asks again, the agent in a Kokoro voice, which spoke ${agentSeconds.toFixed(0)} of ${seconds.length} seconds: milliseconds of processor time by stage, sampled ${49} times a second (a sample is 20 ms).`,
  );
  const stages = STAGE_NAMES.filter((stage) => seconds.some((second) => second[stage]));
  report.table(
    ['second', ...stages],
    seconds.map((second, at) => [String(at + 1), ...stages.map((stage) => Math.round(second[stage] ?? 0))]),
  );
  const total = (stage: string) => seconds.reduce((sum, second) => sum + (second[stage] ?? 0), 0);
  const all = stages.reduce((sum, stage) => sum + total(stage), 0);
  report.table(
    [
      'stage',
      'ms of a second of the call',
      'share',
      'least by its products at the peak of one core, ms',
      'of that peak',
    ],
    stages.map((stage) => [
      stage,
      Math.round(total(stage) / seconds.length),
      `${((100 * total(stage)) / all).toFixed(0)} %`,
      ...limitOf(stage, level, profile, machine, total(stage)),
    ]),
  );
}

/** Compares the time at peak with the measured time; the text is empty where the multiplications are not counted. */
function limitOf(
  stage: string,
  level: Level,
  { seconds, agentSeconds }: Profile,
  machine: MachineData | undefined,
  tookMs: number,
): string[] {
  const peak = machine && rateOf(machine.peaks, `floats ${level === 'avx2' ? 'avx2' : 'avx512'}`, 1);
  if (stage !== GENERATOR.stage || !peak) return ['', ''];
  const leastMs = (1000 * agentSeconds * GENERATOR.billions * BILLION) / peak;
  return [formatValue(leastMs / seconds.length), `${((100 * leastMs) / tookMs).toFixed(0)} %`];
}
