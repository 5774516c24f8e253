import { linePlot, type Report, scatterPlot } from '../harness/index.ts';
import { fastest, peerOf, type QualityLine, type SpeedLine } from './lines.ts';

interface PairGoals {
  strictDelayMs: number;
  speechNs?: number;
}

const GOALS: Record<string, PairGoals> = {
  '24000-16000': { strictDelayMs: 4.5, speechNs: 2.0 },
  '24000-8000': { strictDelayMs: 8.5, speechNs: 1.8 },
  '48000-16000': { strictDelayMs: 4.5, speechNs: 1.8 },
  '8000-16000': { strictDelayMs: 8.4, speechNs: 1.5 },
};
const SPEECH_DELAY_MS = 4;

const RATE_NAMES = (hertz: number) => String(hertz / 1000);

export function reportResampling(
  report: Report,
  speeds: readonly SpeedLine[],
  qualities: readonly QualityLine[],
  wideVectors: boolean,
): void {
  const pairs = [...new Set(speeds.map((line) => `${line.from}-${line.to}`))];
  report.heading('Resampling');
  report.text(
    'Nanoseconds an input sample on 20 ms frames, floats, median of runs taken in turns; quality by tones of amplitude ' +
      '0.5 through the same streaming doors; delay from a pulse’s middle going in to its middle coming out, sample by ' +
      'sample, so that a filter’s delay and a block’s count alike. Ripple is the range of gains up to 0.9 of the lower ' +
      'Nyquist frequency; “> 1.0” and “> 1.1” are the loudest alias or image from 1.0 and 1.1 of it on.',
  );
  for (const pair of pairs) reportPair(report, pair, speeds, qualities, wideVectors);
}

function reportPair(
  report: Report,
  pair: string,
  speeds: readonly SpeedLine[],
  qualities: readonly QualityLine[],
  wideVectors: boolean,
): void {
  const [from, to] = pair.split('-').map(Number) as [number, number];
  const title = `${RATE_NAMES(from)} to ${RATE_NAMES(to)} kHz`;
  const here = speeds.filter((line) => line.from === from && line.to === to);
  const floats = here.filter((line) => !line.int16);
  const quality = new Map(
    qualities.filter((line) => line.from === from && line.to === to).map((line) => [line.who, line]),
  );
  const goals = GOALS[pair];
  if (goals) figures(report, title, goals, floats, quality, wideVectors);
  report.text(`### ${title}`);
  report.table(
    ['resampler', 'float ns', 'int16 ns', 'delay ms', 'ripple dB', '> 1.0 dB', '> 1.1 dB'],
    floats.map((line) => {
      const q = quality.get(line.who);
      const ripple = q ? `${q.ripple_low.toFixed(4)}..${q.ripple_high.toFixed(4)}` : '';
      const whole = here.find((other) => other.int16 && other.who === line.who);
      return [
        line.who,
        line.ns,
        whole?.ns ?? null,
        q?.delay_ms ?? null,
        ripple,
        db(q?.beyond_1_0),
        db(q?.beyond_1_1),
      ];
    }),
  );
  if (!goals) return;
  plots(report, pair, title, floats, quality);
}

const db = (value: number | undefined) => (value === undefined ? null : value.toFixed(1));

function figures(
  report: Report,
  title: string,
  goals: PairGoals,
  floats: readonly SpeedLine[],
  quality: ReadonlyMap<string, QualityLine>,
  wideVectors: boolean,
): void {
  const ns = (who: string) => floats.find((line) => line.who === who)?.ns;
  const strict = { ns: ns('strict'), quality: quality.get('strict') };
  const speech = { ns: ns('speech'), quality: quality.get('speech') };
  if (strict.ns === undefined || speech.ns === undefined || !strict.quality || !speech.quality) {
    throw new Error(`${title}: our own resamplers were not measured`);
  }
  const speex = ns('speexdsp q7');
  const soxr = ns('soxr HQ');
  const soxrDelay = quality.get('soxr HQ')?.delay_ms;
  const delayPeer = soxrDelay === undefined ? {} : { peer: 'soxr HQ', peerValue: soxrDelay };
  report.figure({
    name: `${title} strict: delay`,
    value: strict.quality.delay_ms,
    unit: 'ms',
    goal: { atMost: goals.strictDelayMs },
    ...delayPeer,
  });
  const largest = Math.max(Math.abs(strict.quality.ripple_low), Math.abs(strict.quality.ripple_high));
  report.figure({
    name: `${title} strict: ripple to 0.9`,
    value: largest,
    unit: 'dB',
    goal: { atMost: 0.01 },
  });
  report.figure({
    name: `${title} strict: rejection from 1.0`,
    value: -strict.quality.beyond_1_0,
    unit: 'dB',
    goal: { atLeast: 100 },
  });
  if (speex !== undefined) {
    report.figure({
      name: `${title} strict: times as fast as speexdsp q7`,
      value: speex / strict.ns,
      unit: 'x',
      goal: { atLeast: 3 },
      peer: 'speexdsp q7, ns',
      peerValue: speex,
    });
  }
  if (soxr !== undefined) {
    report.figure({
      name: `${title} strict: time beside soxr HQ`,
      value: strict.ns / soxr,
      unit: 'x',
      goal: { atMost: 1 },
      peer: 'soxr HQ, ns',
      peerValue: soxr,
    });
  }
  const peer = fastest(floats.filter((line) => peerOf(line.who)));
  report.figure({
    name: `${title} speech: time`,
    value: speech.ns,
    unit: 'ns/sample',
    ...(wideVectors && goals.speechNs !== undefined && { goal: { atMost: goals.speechNs } }),
    ...(peer && { peer: peer.who, peerValue: peer.ns }),
  });
  report.figure({
    name: `${title} speech: delay`,
    value: speech.quality.delay_ms,
    unit: 'ms',
    goal: { atMost: SPEECH_DELAY_MS },
    ...delayPeer,
  });
  report.figure({
    name: `${title} speech: rejection from 1.0`,
    value: -speech.quality.beyond_1_0,
    unit: 'dB',
    goal: { atLeast: 90 },
  });
}

function plots(
  report: Report,
  pair: string,
  title: string,
  floats: readonly SpeedLine[],
  quality: ReadonlyMap<string, QualityLine>,
): void {
  const shown = ['strict', 'speech', 'soxr HQ', 'speexdsp q7', 'libsamplerate fastest', 'swresample'];
  report.plot(
    `response-${pair}`,
    `${title}: gain of a tone; above the lower Nyquist frequency, what is left of it as an alias.`,
    linePlot({
      title: `Frequency response, ${title}`,
      x: { label: 'Hz' },
      y: { label: 'dB', min: -150, max: 5 },
      series: shown.flatMap((who) => {
        const gains = quality.get(who)?.gains;
        return gains ? [{ name: who, points: gains.map(([x, y]) => ({ x, y })) }] : [];
      }),
    }),
  );
  const points = floats.flatMap((line) => {
    const delay = quality.get(line.who)?.delay_ms;
    return delay === undefined ? [] : [{ who: line.who, x: Math.max(delay, 0.1), y: line.ns }];
  });
  const groups = ['trunkline', ...new Set(points.flatMap((point) => peerOf(point.who) ?? []))];
  report.plot(
    `speed-${pair}`,
    `${title}: time against delay; the lower left corner is the best.`,
    scatterPlot({
      title: `Speed and delay, ${title}`,
      x: { label: 'delay, ms', log: true },
      y: { label: 'ns an input sample', log: true },
      series: groups.map((name) => ({
        name,
        points: points
          .filter((point) => (peerOf(point.who) ?? 'trunkline') === name)
          .map(({ who, x, y }) => ({ x, y, label: who })),
      })),
    }),
  );
}
