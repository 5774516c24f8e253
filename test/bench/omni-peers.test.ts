import { describe, expect, it } from 'vitest';
import { Report } from '../../bench/harness/index.ts';
import {
  CUTS,
  type CutName,
  decisions,
  ENDS,
  type EndName,
  type Recognized,
} from '../../bench/omni/peer-rules.ts';
import type { Peers, PeerTrial } from '../../bench/omni/peers.ts';
import { differences, type Ours, tally, writePeers } from '../../bench/omni/report/peers.ts';

const [level, silero200, pipecat, silero500, liveKit] = Object.keys(CUTS) as CutName[];
const [liveKitEnd, pipecatEnd] = Object.keys(ENDS) as EndName[];
const values = (stepMs: number, ...pieces: readonly [number, number][]): number[] =>
  pieces.flatMap(([value, ms]) => Array.from({ length: Math.round(ms / stepMs) }, () => value));
const voice = (...pieces: readonly [number, number][]): Recognized => ({
  level: [],
  voice: values(32, ...pieces),
});
const cut = (name: CutName | undefined, heard: Recognized, lead = 0, from = 0) =>
  decisions(CUTS, heard, lead, from)[name as CutName];
const ended = (name: EndName | undefined, heard: Recognized) => decisions(ENDS, heard, 0, 0)[name as EndName];

describe('the rules of others', () => {
  it('takes 200 ms over a level in a row for an interruption, and counts from the first sound', () => {
    const line = (...pieces: readonly [number, number][]): Recognized => ({
      level: values(20, ...pieces),
      voice: [],
    });
    expect(cut(level, line([-127, 1000], [-30, 400]), 50, 0)).toBe(200);
    expect(cut(level, line([-127, 1000], [-30, 400]), 50, 60)).toBe(140);
    expect(cut(level, line([-30, 180], [-50, 20], [-30, 180]))).toBeNull();
    expect(cut(level, line([-30, 180], [-50, 20], [-30, 200]))).toBe(400);
    expect(cut(level, line([-42.1, 1000]))).toBeNull();
  });

  it('knows of a window of 32 ms when the frame of 20 ms has come in which it ends', () => {
    expect(cut(silero200, voice([0.6, 320]))).toBe(200);
    expect(cut(silero500, voice([0.6, 640]))).toBe(520);
    expect(cut(silero500, voice([0.6, 480], [0.1, 640]))).toBeNull();
  });

  it('asks for as much voice as pipecat does, in a row', () => {
    expect(cut(pipecat, voice([0.6, 640]))).toBeNull();
    expect(cut(pipecat, voice([0.7, 160], [0.6, 32], [0.7, 160]))).toBeNull();
    expect(cut(pipecat, voice([0, 320], [0.8, 192]))).toBe(520);
  });

  it('counts LiveKit’s half second from where speech began, through its pauses', () => {
    // The smoothed likelihood is over a half from the second window of voice on.
    const late = 2 * 32 - 32;
    expect(cut(liveKit, voice([0, 320], [1, 960]))).toBe(Math.ceil((320 + late + 16 * 32) / 20) * 20);
    // A short word ends within the half second, and interrupts all the same.
    expect(cut(liveKit, voice([0, 320], [1, 192], [0, 1600]))).toBe(
      Math.ceil((320 + late + 16 * 32) / 20) * 20,
    );
    expect(cut(liveKit, voice([0, 320], [1, 64], [0, 1600]))).toBeNull();
  });

  it('ends a turn after its silence, but not before somebody has spoken', () => {
    expect(ended(pipecatEnd, voice([0, 3200]))).toBeNull();
    expect(ended(liveKitEnd, voice([0, 3200]))).toBeNull();
    expect(ended(pipecatEnd, voice([1, 960], [0, 1600]))).toBe(960 + 800);
    expect(ended(pipecatEnd, voice([1, 960], [0, 768], [1, 320], [0, 1600]))).toBe(2860);
    expect(ended(liveKitEnd, voice([1, 960], [0, 1600]))).toBe(Math.ceil((960 + 32 + 18 * 32) / 20) * 20);
    expect(ended(liveKitEnd, voice([1, 960], [0, 480], [1, 960]))).toBeNull();
  });
});

describe('ours beside them', () => {
  const trial = (part: PeerTrial['part'], kind: string, clip: string, cutMs: number | null) => ({
    part,
    kind,
    clip,
    cutMs,
  });

  it('counts what was cut in time, too late, never, before the first sound and in vain', () => {
    const row = tally('x', [
      trial('interruptions', 'real', 'a', 400),
      trial('interruptions', 'real', 'b', 401),
      trial('interruptions', 'real', 'c', null),
      trial('interruptions', 'real', 'd', -20),
      trial('backchannels', 'real backchannel', 'e', null),
      trial('backchannels', 'generated backchannel', 'f', 500),
      trial('noises', 'real noise', 'g', -100),
      trial('noises', 'generated noise', 'h', null),
    ]);
    expect(row.waits).toEqual([400, 401, Infinity]);
    expect([row.early, row.within, row.signs, row.noises]).toEqual([1, 1, 50, 50]);
    expect(row.falseCuts).toEqual([
      { cut: 0, of: 1 },
      { cut: 1, of: 1 },
      { cut: 1, of: 1 },
      { cut: 0, of: 1 },
    ]);
    expect(row.right).toBeCloseTo((25 + 50 + 50) / 3);
  });

  it('tells when they did not hear the same sounds', () => {
    const a = trial('noises', 'real noise', 'a', null);
    const b = trial('noises', 'real noise', 'b', null);
    expect(differences([a, b, b], [b, a, b])).toBeNull();
    expect(differences([a, b], [a, b, b])).toMatch(/1 sounds .*“noises: b” to theirs alone/);
    expect(differences([a], [{ ...a, part: 'backchannels' }])).toMatch(/2 sounds/);
  });

  const all = <Name extends string>(rules: Record<Name, unknown>, ms: number | null, first: number | null) =>
    Object.fromEntries(Object.keys(rules).map((name, at) => [name, at === 0 ? first : ms])) as Record<
      Name,
      number | null
    >;
  const peers: Peers = {
    trials: [
      { part: 'interruptions', kind: 'real', clip: 'a', cutMs: all(CUTS, 300, 500) },
      { part: 'interruptions', kind: 'real', clip: 'silent', cutMs: all(CUTS, 9000, 9000) },
      { part: 'backchannels', kind: 'generated backchannel', clip: 'v: Sure.', cutMs: all(CUTS, 200, null) },
      { part: 'noises', kind: 'real noise', clip: 'n', cutMs: all(CUTS, null, 100) },
    ],
    turns: [
      { clip: 'q', endedMs: all(ENDS, 800, 550) },
      { clip: 'r', endedMs: all(ENDS, 900, -40) },
      { clip: 'not answered by ours', endedMs: all(ENDS, 5000, 5000) },
    ],
  };
  const interruption = { duckedMs: null, playedMs: null, heardMs: 0 };
  const sound = { cut: false, cutMs: null, loweredMs: null };
  const question = { delayMs: 0, parts: {} };
  const ours: Ours = {
    interruptions: [
      { ...interruption, clip: 'a', cutMs: 350 },
      { ...interruption, clip: 'silent', cutMs: null, silent: true },
    ],
    backchannels: [{ ...sound, kind: 'generated, not clear', clip: 'v: Sure. (Shore.)' }],
    noises: [{ ...sound, kind: 'real noise', clip: 'n' }],
    gaps: {
      gaps: [
        { ...question, clip: 'q', wholeMs: 600, finalMs: 500 },
        { ...question, clip: 'r', wholeMs: 720, finalMs: 600 },
      ],
      early: 0,
      unanswered: ['not answered by ours'],
    },
  };
  const written = (of: Ours): Report => {
    const report = new Report('omni', 'peers');
    writePeers(report, peers, of);
    return report;
  };

  it('gives each figure the rule that does best in it', () => {
    const report = written(ours);
    const figures = report.figures.map(({ name, value, peer, peer_value: its }) => [
      name.replace(', beside other rules', ''),
      value,
      peer,
      its,
    ]);
    expect(figures).toEqual([
      ['interruption latency, p50', 350, silero200, 300],
      ['interruption latency, p95', 350, silero200, 300],
      ['interrupted within 400 ms', 100, silero200, 100],
      ['false interruptions on backchannels', 0, level, 0],
      ['false interruptions on noise', 0, silero200, 0],
      ['decided right', 100, silero200, (100 + 0 + 100) / 3],
      // The answer to `q` comes 100 ms after its end, and that to `r` after 120 ms; the first rule interrupts `r`.
      ['response latency p50', 600, liveKitEnd, 650],
      ['response latency p95', 720, liveKitEnd, 650],
    ]);
    expect(report.markdown()).not.toContain('is not beside');
  });

  it('is not beside them where other sounds were played', () => {
    const report = written({ ...ours, noises: [{ ...sound, kind: 'real noise', clip: 'another' }] });
    expect(report.markdown()).toContain('Ours of the part noises is not beside theirs: 2 sounds');
    const names = report.figures.map(({ name }) => name);
    expect(names).toContain('interruption latency, p95, beside other rules');
    expect(names).not.toContain('false interruptions on noise, beside other rules');
    expect(names).not.toContain('decided right, beside other rules');
  });
});
