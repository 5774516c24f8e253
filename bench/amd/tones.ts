/** The network's tones follow their standards, because no recording of a real one is available. */
import type { SeededRandom } from '../../src/apps/caller/index.ts';
import { gained, joined, LINE_RATE, samplesOf, silence } from './sound.ts';

const PEAK = 8000;
const EDGE_MS = 4;

export function sines(ms: number, ...hertz: readonly number[]): Int16Array {
  const length = samplesOf(ms);
  const edge = samplesOf(EDGE_MS);
  return Int16Array.from({ length }, (_, at) => {
    const shape = Math.min(1, at / edge, (length - at) / edge);
    const sum = hertz.reduce((total, f) => total + Math.sin((2 * Math.PI * f * at) / LINE_RATE), 0);
    return (shape * PEAK * sum) / hertz.length;
  });
}

const again = (times: number, ...parts: readonly Int16Array[]): Int16Array =>
  joined(...Array.from({ length: times }, () => parts).flat());

/** The cadences follow ITU-T E.180, as used in North America, Europe, the United Kingdom and Japan. */
const RINGS: readonly ((cycles: number) => Int16Array)[] = [
  (cycles) => again(cycles, sines(2000, 440, 480), silence(4000)),
  (cycles) => again(cycles, sines(1000, 425), silence(4000)),
  (cycles) => again(cycles, sines(400, 400, 450), silence(200), sines(400, 400, 450), silence(2000)),
  (cycles) => again(cycles, sines(1000, 400), silence(2000)),
];
const BUSY: readonly (() => Int16Array)[] = [
  () => again(16, sines(500, 480, 620), silence(500)),
  () => again(16, sines(500, 425), silence(500)),
  () => again(20, sines(375, 400), silence(375)),
];
const REORDER: readonly (() => Int16Array)[] = [
  () => again(24, sines(250, 480, 620), silence(250)),
  () => again(24, sines(250, 425), silence(250)),
];

export const ringback = (cycles: number, chance: SeededRandom): Int16Array => chance.pick(RINGS)(cycles);
export const busy = (chance: SeededRandom): Int16Array => chance.pick(BUSY)();
export const reorder = (chance: SeededRandom): Int16Array => chance.pick(REORDER)();

/**
 * ITU-T E.180 has three tones of 330 ms, each within 50 Hz; North America has shorter ones too (Telcordia GR-1162).
 */
export function informationTone(chance: SeededRandom): Int16Array {
  const of = (ms: number, hertz: number) => sines(ms, hertz);
  const kinds: readonly (readonly [number, number][])[] = [
    [
      [330, 950],
      [330, 1400],
      [330, 1800],
    ],
    [
      [380, 913.8],
      [276, 1370.6],
      [380, 1776.7],
    ],
    [
      [276, 985.2],
      [380, 1370.6],
      [380, 1776.7],
    ],
    [
      [276, 913.8],
      [276, 1370.6],
      [380, 1776.7],
    ],
  ];
  return joined(...chance.pick(kinds).map(([ms, hertz]) => of(ms, hertz)));
}

/** ITU-T T.30 has the answering side's 2100 Hz for 2.6 to 4 s; ITU-T V.25 reverses its phase every 450 ms. */
export function faxAnswer(chance: SeededRandom): Int16Array {
  const ms = chance.between(2600, 4000);
  const hertz = 2100 + chance.between(-12, 12);
  const plain = sines(ms, hertz);
  if (chance.next() < 0.5) return plain;
  const turn = samplesOf(450);
  return plain.map((sample, at) => (Math.floor(at / turn) % 2 === 0 ? sample : -sample));
}

/** ITU-T T.30 has the calling side's 1100 Hz for half a second of every 3.5 s. */
export function faxCall(chance: SeededRandom): Int16Array {
  const hertz = 1100 + chance.between(-30, 30);
  return again(3, sines(500, hertz), silence(3000));
}

export interface Beep {
  readonly samples: Int16Array;
  readonly ms: number;
}

const BEEPS = [440, 500, 620, 750, 850, 950, 1000, 1000, 1150, 1400, 1650, 2000];

export function beep(chance: SeededRandom): Beep {
  const ms = Math.round(chance.between(12, 90)) * 10;
  const hertz = chance.pick(BEEPS) + chance.between(-15, 15);
  const samples = gained(sines(ms, hertz), chance.between(-12, 0));
  return { samples, ms };
}
