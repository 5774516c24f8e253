import { describe, expect, it } from 'vitest';
import { Report } from '../../bench/harness/index.ts';
import type { FalseInterruptionTrial } from '../../bench/omni/false-interruptions.ts';
import type { Interruption } from '../../bench/omni/interruptions.ts';
import { writeBuffers } from '../../bench/omni/report/buffers.ts';
import { writeMissedInterruptions, writeSums } from '../../bench/omni/report/false-interruptions.ts';
import { changedSince } from '../../bench/omni/report/freshness.ts';
import { writeInterruptions } from '../../bench/omni/report/interruptions.ts';
import { writeResponseLatency } from '../../bench/omni/report/response-latency.ts';
import { servedAtOnce, unbrokenAtOnce } from '../../bench/omni/report/sessions.ts';
import type { Level } from '../../bench/omni/sessions.ts';

function figuresOf(write: (report: Report) => void): Record<string, [number, boolean | null]> {
  const report = new Report('test', 'Test');
  write(report);
  report.markdown();
  return Object.fromEntries(report.figures.map(({ name, value, holds }) => [name, [value, holds]]));
}

const cutAt = (cutMs: number | null, more: Partial<Interruption> = {}): Interruption => ({
  clip: 'c',
  duckedMs: cutMs === null ? null : 100,
  cutMs,
  playedMs: cutMs === null ? null : 1_000,
  heardMs: 1_000,
  ...more,
});
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

describe('what counts of interruptions', () => {
  const figures = (trials: readonly Interruption[]) =>
    figuresOf((report) => writeInterruptions(report, trials, ''));

  it('takes one that is missed for later than any, and says so however many there are', () => {
    expect(figures([...times(19, cutAt(300)), cutAt(null)])).toMatchObject({
      'missed interruptions': [1, null],
      'interruption latency, p95': [300, true],
    });
    expect(figures([...times(9, cutAt(300)), cutAt(null)])).toMatchObject({
      'interruption latency, p95': [30_000, false],
    });
    expect(figures(times(3, cutAt(null)))).toMatchObject({
      'missed interruptions': [3, null],
      'interruption latency, p50': [30_000, null],
      'interruption latency, p95': [30_000, false],
      'ducked by 20 dB, p95': [30_000, false],
    });
  });

  it('leaves out and tells of those before the caller’s first sound, and of an agent that did not speak', () => {
    const silent = { ...cutAt(null), silent: true as const };
    expect(figures([cutAt(-20), cutAt(350), silent])).toMatchObject({
      'no trial, since the agent was not speaking': [1, null],
      'interrupted before the caller’s first sound': [1, null],
      'missed interruptions': [0, null],
      'interruption latency, p95': [350, true],
    });
    expect(figures([silent])).toEqual({
      'no trial, since the agent was not speaking': [1, null],
      'interrupted before the caller’s first sound': [0, null],
      'missed interruptions': [0, null],
    });
  });

  it('gives the same trials by a softer first sound as well', () => {
    const margins = [
      { db: 20, duckedMs: 210, cutMs: 390 },
      { db: 25, duckedMs: 400, cutMs: 500 },
    ];
    expect(figures([cutAt(350, { margins })])).toMatchObject({
      'ducked by 20 dB, p95': [100, true],
      'ducked by 20 dB, p95, from a first sound within 20 dB': [210, false],
      'interruption latency, p95, from a first sound within 20 dB': [390, true],
    });
  });

  it('counts what is decided from the first time the agent is ducked, through what it is let go on', () => {
    const duckings = [
      { atMs: -400, forMs: 100 },
      { atMs: 90, forMs: 160 },
      { atMs: 500, forMs: null },
    ];
    expect(figures([cutAt(700, { duckings })])).toMatchObject({
      'from first ducked to interrupted, p95': [610, false],
      'unducked once before it was interrupted': [1, null],
    });
    expect(figures([cutAt(350, { duckings: duckings.slice(2) })])).toMatchObject({
      'from first ducked to interrupted, p95': [0, true],
    });
    expect(figures([cutAt(350, { duckings: [] })])).toMatchObject({
      'from first ducked to interrupted, p95': [350, false],
    });
    expect(figures([cutAt(null, { duckings })])).toMatchObject({
      'from first ducked to interrupted, p95': [30_000, false],
    });
  });
});

describe('what counts of response latencies', () => {
  it('tells how far the record is from what the caller heard, and of questions without a gap', () => {
    const gap = (wholeMs: number, total: number) => ({
      clip: '',
      delayMs: 0,
      wholeMs,
      finalMs: 300,
      parts: { total },
    });
    const figures = figuresOf((report) =>
      writeResponseLatency(
        report,
        { gaps: [gap(500, 480), gap(600, 640), gap(700, 690)], early: 1, unanswered: ['x'] },
        'b',
      ),
    );
    expect(figures).toMatchObject({
      'answered before the caller had finished, b': [1, null],
      'not answered, b': [1, null],
      'turn.total of the record against the caller’s own response latency, b, apart, p50': [20, null],
      'turn.total of the record against the caller’s own response latency, b, apart, p95': [40, null],
    });
  });

  it('has something to say where nobody was answered', () => {
    const none = figuresOf((report) =>
      writeResponseLatency(report, { gaps: [], early: 0, unanswered: ['x'] }, 'b'),
    );
    expect(none).toMatchObject({ 'not answered, b': [1, null] });
  });
});

describe('how many calls at once are served', () => {
  const level = (sessions: number, more: Partial<Level> = {}): Level => ({
    sessions,
    gapsMs: times(20, 600),
    early: [],
    unanswered: 0,
    refused: 0,
    breaksMs: [],
    longerPausesMs: [],
    spokenSeconds: 60,
    cores: 1,
    ...more,
  });

  it('is as many as every smaller number is too', () => {
    expect(servedAtOnce([level(1), level(2), level(3)])).toBe(3);
    expect(servedAtOnce([level(1), level(2, { refused: 1 }), level(3)])).toBe(1);
    expect(servedAtOnce([level(1, { gapsMs: [] }), level(2)])).toBe(0);
  });

  it('has every question answered, and none too early for the goal', () => {
    const served = (more: Partial<Level>) => servedAtOnce([level(1, more)]) === 1;
    expect(served({ unanswered: 1 })).toBe(false);
    expect(served({ early: ['one of 21 is within the 5 % of a p95'] })).toBe(true);
    expect(served({ early: ['two', 'are not'] })).toBe(false);
    expect(served({ gapsMs: times(20, 750) })).toBe(true);
    expect(served({ gapsMs: times(20, 751) })).toBe(false);
  });

  it('is counted apart where speech breaks off at most once a minute', () => {
    const unbroken = (more: Partial<Level>) => unbrokenAtOnce([level(1, more)]) === 1;
    expect(unbroken({ breaksMs: [400] })).toBe(true);
    expect(unbroken({ breaksMs: [400, 20] })).toBe(false);
    expect(unbroken({ unanswered: 1 })).toBe(false);
  });
});

describe('what counts of false interruptions', () => {
  const trial = (kind: string, cut: boolean, clip = kind): FalseInterruptionTrial => ({
    kind,
    clip,
    cut,
    cutMs: cut ? 300 : null,
    loweredMs: null,
  });

  it('gives backchannels and noise a figure each, so that neither hides in their sum', () => {
    const trials = [
      ...times(90, trial('real noise', false, 'office@1 -40')),
      ...times(2, trial('generated noise', true, 'knock -23')),
      ...times(8, trial('generated backchannel', false)),
      trial('generated, not clear', true),
      trial('real backchannel', true),
    ];
    const figures = figuresOf((report) => writeSums(report, trials));
    expect(figures).toMatchObject({
      'false interruptions on backchannels and noise, all, 102 trials': [400 / 102, true],
      'false interruptions on backchannels alone, all, 10 trials': [20, false],
      'false interruptions on backchannels alone, real recordings, 1 trials': [100, false],
      'false interruptions on backchannels alone, generated, 9 trials': [100 / 9, false],
      'false interruptions on noise alone, all, 92 trials': [200 / 92, true],
      'false interruptions on noise alone, real recordings, 90 trials': [0, true],
      'false interruptions on noise alone, at the level of the caller’s voice, 2 trials': [100, false],
    });
  });

  it('says for how long an agent that goes on was ducked, and whether at the right sample', () => {
    const lowered = (...forMs: (number | null)[]): FalseInterruptionTrial => ({
      ...trial('generated backchannel', false),
      duckings: forMs.map((ms, at) => ({ atMs: at * 500, forMs: ms })),
    });
    const cut = { ...trial('generated backchannel', true), duckings: [{ atMs: 0, forMs: null }] };
    const of = (...trials: FalseInterruptionTrial[]) =>
      figuresOf((report) => writeMissedInterruptions(report, 'backchannels', trials));
    expect(of(lowered(100, 280), lowered(), lowered(200), cut)).toEqual({
      'from ducked to unducked, the longest of each trial, backchannels, p50': [200, null],
      'from ducked to unducked, the longest of each trial, backchannels, p95': [280, true],
      'went on at the sample at which it was ducked, backchannels': [3, true],
    });
    expect(of(lowered(100), lowered(null))).toMatchObject({
      'from ducked to unducked, the longest of each trial, backchannels, p95': [30_000, false],
      'went on at the sample at which it was ducked, backchannels': [1, false],
    });
  });
});

describe('what a buffer at the client costs', () => {
  it('holds what the server says was heard against what such a client had played', () => {
    const found = [cutAt(350, { buffered: [{ delayMs: 60, duckedMs: 160, heardMs: 940 }] })];
    const figures = figuresOf((report) => writeBuffers(report, [], found));
    expect(figures).toEqual({
      'played_ms beyond what was heard, p50, client that buffers 60 ms': [60, null],
    });
  });
});

describe('whether a part is of the tree as it is', () => {
  it('knows what changed since a commit, and admits where it doesn’t', () => {
    expect(changedSince(null)).toBeNull();
    expect(changedSince('no-such-commit')).toBeNull();
    const now = changedSince('HEAD');
    expect(now).not.toBeNull();
    expect(changedSince('HEAD (modified)')).toEqual([...(now ?? []), 'uncommitted changes']);
    const ever = changedSince('4b825dc642cb6eb9a060e54bf8d69288fbee4904');
    expect(ever).toContain('bench/omni');
    expect(ever).toContain('native');
  });
});
