import { barPlot, countInstructions, type Report, runBench, runNative } from '../harness/index.ts';
import { buildPrograms } from './build.ts';
import { reportCompanding } from './companding.ts';
import {
  type CompandingLine,
  PEERS,
  peerOf,
  type QualityLine,
  type SpeedLine,
  type StageLine,
} from './lines.ts';
import { reportResampling } from './resampling.ts';

const PACKAGES = 'libsoxr-dev libspeexdsp-dev libsamplerate0-dev libswresample-dev libspandsp-dev';
/** Valgrind knows no AVX-512, so counts are of the AVX2 kernels. */
const COUNTED = ['strict', 'speech', 'soxr HQ', 'speexdsp q7'];
const COUNTED_PAIR = '24000-16000';

function reportStages(report: Report, lines: readonly StageLine[]): void {
  report.heading('Detectors and meters');
  report.text(
    'Nanoseconds a sample at 8 kHz, 20 ms frames of noise as dark as speech. A second has 8,000 samples.',
  );
  const names = [...new Set(lines.map((line) => line.who))];
  const operations = [...new Set(lines.map((line) => line.op))];
  const cell = (op: string, who: string) =>
    lines.find((line) => line.op === op && line.who === who)?.ns ?? null;
  report.table(
    ['stage', ...names],
    operations.map((op) => [op, ...names.map((who) => cell(op, who))]),
  );
  for (const op of operations) {
    const ours = cell(op, 'ours');
    const peer = cell(op, 'spandsp');
    if (ours === null) continue;
    report.figure({
      name: `${op}: time`,
      value: ours,
      unit: 'ns/sample',
      ...(peer !== null && { peer: 'spandsp', peerValue: peer }),
    });
  }
  report.plot(
    'stages',
    'Detectors and meters, 8 kHz.',
    barPlot({
      title: 'Detectors and meters',
      unit: 'ns a sample (less is better)',
      series: names,
      groups: operations.map((op) => ({ label: op, values: names.map((who) => cell(op, who)) })),
    }),
  );
}

function reportInstructions(report: Report, program: string): void {
  const counts = COUNTED.map((who) => ({
    who,
    count: countInstructions(program, ['--count', who, COUNTED_PAIR], 'CountedWork'),
  }));
  report.heading('Instructions');
  if (counts.every(({ count }) => count === null)) {
    report.text('Not counted: valgrind is not installed.');
    return;
  }
  report.text(
    'Counted by callgrind over the same work, 24 to 16 kHz, which does not waver with the clock. Valgrind has no ' +
      'AVX-512, so ours are the AVX2 kernels here.',
  );
  report.table(
    ['resampler', 'million instructions'],
    counts.map(({ who, count }) => [who, count === null ? null : count / 1e6]),
  );
}

await runBench('dsp', 'Signal processing kernels', (report, { quick }) => {
  const programs = buildPrograms(['g711', 'resample', 'tones']);
  const args = quick ? ['--quick'] : [];
  const companding = runNative<CompandingLine>(programs.g711 as string, args);
  const resampling = runNative<SpeedLine | QualityLine>(programs.resample as string, args);
  const stages = runNative<StageLine>(programs.tones as string, args);
  const measured = new Set([...companding, ...resampling, ...stages].map((line) => peerOf(line.who)));
  const missing = PEERS.filter((peer) => !measured.has(peer));
  report.text(
    missing.length === 0
      ? 'All five peers were measured in this run.'
      : `Not measured, as they are not installed: ${missing.join(', ')}. (\`apt-get install ${PACKAGES}\`)`,
  );
  reportCompanding(report, companding);
  const wideVectors = companding.some((line) => line.who === 'avx512');
  reportResampling(
    report,
    resampling.filter((line) => line.kind === 'speed'),
    resampling.filter((line) => line.kind === 'quality'),
    wideVectors,
  );
  reportStages(report, stages);
  reportInstructions(report, programs.resample as string);
});
