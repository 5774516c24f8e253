import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  barPlot,
  describeMachine,
  formatValue,
  linePlot,
  makeFigure,
  median,
  percentile,
  percentileInterval,
  Report,
  repeatInterleaved,
  repeatRuns,
  runNative,
  scatterPlot,
  shareInterval,
  timeCalls,
  totalFromCallgrind,
} from '../../bench/harness/index.ts';
import { spectrogram } from '../../bench/harness/plots/sound.ts';
import { linearTicks } from '../../bench/harness/plots/svg.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'harness-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('samples', () => {
  it('takes the median of odd and even counts without touching its input', () => {
    const values = [9, 1, 5];
    expect(median(values)).toBe(5);
    expect(values).toEqual([9, 1, 5]);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(() => median([])).toThrow(RangeError);
  });

  it('takes percentiles by nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect(percentile(values, 0.99)).toBe(99);
    expect(percentile(values, 1)).toBe(100);
    expect(percentile(values, 0)).toBe(1);
    expect(() => percentile(values, 99)).toThrow(/0\.\.1/);
  });

  it('says between which values a percentile lies', () => {
    const values = Array.from({ length: 100 }, (_, at) => at + 1);
    // A binomial count of 100 is below 40 in 1.8 % of cases, and below 61 in 98.2 %.
    expect(percentileInterval(values, 0.5)).toEqual({ from: 40, to: 61 });
    expect(percentileInterval(values.slice(0, 72), 0.95)).toEqual({ from: 64, to: 72 });
    expect(percentileInterval(values.slice(0, 71), 0.95).to).toBeNull();
    expect(percentileInterval([1, 2, 3], 0.95)).toEqual({ from: 2, to: null });
  });

  it('says between which shares a count lies', () => {
    const percent = (count: number, of: number) =>
      Object.values(shareInterval(count, of)).map((share) => Math.round(1000 * share) / 10);
    expect(percent(1, 9)).toEqual([0.3, 48.2]);
    expect(percent(11, 227)).toEqual([2.4, 8.5]);
    expect(percent(0, 20)).toEqual([0, 16.8]);
    expect(percent(20, 20)).toEqual([83.2, 100]);
    expect(() => shareInterval(3, 2)).toThrow(RangeError);
    expect(() => shareInterval(0, 0)).toThrow(RangeError);
  });

  it('leaves warm-up runs out', async () => {
    const sample = await repeatRuns((run) => (run < 0 ? 1000 : run), { runs: 5, warmup: 2 });
    expect(sample).toEqual({ median: 2, min: 0, max: 4, deviation: 1, runs: 5 });
  });

  it('measures contestants in turns', async () => {
    const order: string[] = [];
    const count = (name: string) => () => order.push(name);
    const samples = await repeatInterleaved({ a: count('a'), b: count('b') }, { runs: 2, warmup: 1 });
    expect(order.join('')).toBe('ababab');
    expect(samples.a.median).toBe(4);
    expect(samples.b.median).toBe(5);
  });
});

describe('figures', () => {
  it('judges each kind of goal at its edge', () => {
    const judge = (goal: Parameters<typeof makeFigure>[0]['goal'], value: number) =>
      makeFigure({ name: 'x', value, unit: 'ns', ...(goal && { goal }) }).holds;
    expect(judge({ atMost: 2 }, 2)).toBe(true);
    expect(judge({ below: 2 }, 2)).toBe(false);
    expect(judge({ atLeast: 2 }, 2)).toBe(true);
    expect(judge({ above: 2 }, 2)).toBe(false);
    expect(judge(undefined, 2)).toBe(null);
  });

  it('refuses what is not a number', () => {
    expect(() => makeFigure({ name: 'x', value: Number.NaN, unit: 'ns' })).toThrow(
      /finite number, received NaN/,
    );
  });

  it('writes values with the digits that matter', () => {
    expect([0, 0.0789, 0.2, 1.949, 12.34, 123.4, 12345.6].map(formatValue)).toEqual([
      '0',
      '0.079',
      '0.20',
      '1.95',
      '12.3',
      '123',
      '12,346',
    ]);
  });
});

describe('report', () => {
  it('writes JSON with the promised keys and Markdown beside its plots', () => {
    const report = new Report('kernels', 'Kernels', { ...describeMachine(), commit: 'abc' });
    report.figure({
      name: 'decode',
      value: 0.07,
      unit: 'ns',
      goal: { atMost: 0.08 },
      peer: 'a|b',
      peerValue: 0.3,
    });
    report.figure({ name: 'free', value: 3, unit: 'ms' });
    report.heading('Speed');
    report.plot('speed', 'Speed of all', barPlot({ title: 'Speed', unit: 'ns', series: ['us'], groups: [] }));
    const json = join(folder, 'deep', 'out.json');
    report.write(folder, json);
    const written = JSON.parse(readFileSync(json, 'utf8'));
    expect(Object.keys(written)).toEqual(['machine', 'figures']);
    expect(written.machine.cores).toBeGreaterThan(0);
    expect(written.figures).toEqual([
      {
        name: 'decode',
        value: 0.07,
        unit: 'ns',
        goal: '<= 0.08',
        holds: true,
        peer: 'a|b',
        peer_value: 0.3,
        commit: 'abc',
      },
      {
        name: 'free',
        value: 3,
        unit: 'ms',
        goal: null,
        holds: null,
        peer: null,
        peer_value: null,
        commit: 'abc',
      },
    ]);
    const page = readFileSync(join(folder, 'kernels.md'), 'utf8');
    expect(page).toContain('Goals: 1 hold, 0 are missed.');
    expect(page).toContain('| decode | 0.07');
    expect(page).toContain('a\\|b');
    const picture = /!\[Speed of all\]\((.+?)\)/.exec(page)?.[1];
    expect(readdirSync(folder)).toContain(picture);
  });

  it('says of which commit each figure is where it is put together of parts', () => {
    const report = new Report('parts', 'Parts', { ...describeMachine(), commit: 'new' });
    report.figure({ name: 'first', value: 1, unit: 'ms' });
    expect(report.markdown()).toContain(', at new. Load');
    report.measuredAt('old (modified)');
    report.figure({ name: 'second', value: 2, unit: 'ms' });
    expect(report.json().figures.map(({ commit }) => commit)).toEqual(['new', 'old (modified)']);
    expect(report.markdown()).toContain('in parts: the figures are of new, old (modified)');
    const stale = new Report('parts', 'Parts', { ...describeMachine(), commit: 'new' });
    stale.measuredAt('old');
    stale.figure({ name: 'only', value: 1, unit: 'ms' });
    expect(stale.markdown()).toContain('in parts: the figures are of old');
  });

  it('refuses a figure reported twice and a name that is no file name', () => {
    const report = new Report('kernels', 'Kernels');
    report.figure({ name: 'a', value: 1, unit: 'ns' });
    expect(() => report.figure({ name: 'a', value: 2, unit: 'ns' })).toThrow(/twice/);
    expect(() => new Report('../x', 'X')).toThrow(/report name/);
  });
});

describe('plots', () => {
  const points = [
    { x: 1, y: 10, label: 'a<b' },
    { x: 100, y: Number.NEGATIVE_INFINITY, label: 'c' },
  ];
  const plane = { title: 'T & U', x: { label: 'x', log: true }, y: { label: 'y', min: -120, max: 20 } };

  it.each([
    ['line', linePlot({ ...plane, series: [{ name: 's', points }], goals: [{ y: -100, label: 'goal' }] })],
    ['scatter', scatterPlot({ ...plane, series: [{ name: 's', points }] })],
    [
      'bar',
      barPlot({
        title: 'b',
        unit: 'ns',
        series: ['p', 'q'],
        groups: [{ label: 'g', values: [1, null], goal: 2 }],
      }),
    ],
  ])('draws a %s of finite places in balanced markup', (_, picture) => {
    expect(picture).not.toMatch(/NaN|Infinity|undefined/);
    const opened = picture.match(/<[a-z]/g)?.length ?? 0;
    const closed = (picture.match(/\/>/g)?.length ?? 0) + (picture.match(/<\/[a-z]/g)?.length ?? 0);
    expect(opened).toBe(closed);
  });

  it('keeps a value below the axis on its edge', () => {
    const picture = linePlot({ ...plane, series: [{ name: 's', points }] });
    const ends = /points="([^"]+)"/.exec(picture)?.[1]?.split(' ') ?? [];
    expect(Number(ends[1]?.split(',')[1])).toBe(420 - 58);
  });

  it('puts ticks at round numbers within the bounds', () => {
    expect(linearTicks(0, 1)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(linearTicks(-118, 3)).toEqual([-100, -80, -60, -40, -20, 0]);
  });

  it('finds a tone in the bin where it lies', () => {
    const samples = Float32Array.from({ length: 8000 }, (_, at) =>
      Math.sin((2 * Math.PI * 1000 * at) / 8000),
    );
    const power = spectrogram(samples, 256, 3);
    const column = power.subarray(128, 256);
    expect(column.indexOf(Math.max(...column))).toBe(32);
  });
});

describe('native programs', () => {
  it('reads one JSON object a line and passes other lines by', () => {
    const script =
      'console.log("hello"); console.log(JSON.stringify({ns: 1})); console.log(JSON.stringify({ns: 2}))';
    expect(runNative(process.execPath, ['-e', script])).toEqual([{ ns: 1 }, { ns: 2 }]);
  });

  it('says which program failed', () => {
    expect(() => runNative(process.execPath, ['-e', 'process.exit(3)'])).toThrow(/ended with 3/);
    expect(() => runNative('/no/such/program')).toThrow(/does not start/);
  });

  it('reads the count of a callgrind file', () => {
    expect(totalFromCallgrind('events: Ir\nsummary: 12345\n\ntotals: 12345\n')).toBe(12345);
    expect(totalFromCallgrind('nothing')).toBe(null);
  });
});

describe('calls', () => {
  it('times each call by itself', async () => {
    const spin = (rounds: number) => () => {
      let sum = 0;
      for (let at = 0; at < rounds; at++) sum += Math.sqrt(at);
      return sum;
    };
    const timed = await timeCalls({ short: spin(100), long: spin(100_000) }, { time: 20 });
    expect(timed.long.median).toBeGreaterThan(10 * timed.short.median);
    expect(timed.long.p99).toBeGreaterThanOrEqual(timed.long.median);
  });
});
