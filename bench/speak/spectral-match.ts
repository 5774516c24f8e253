import { spectrogram } from '../harness/index.ts';
import { pitches } from './sound.ts';

export interface SpectralMatch {
  readonly decibels: number;
  readonly semitones: number;
}

const SIZE = 1024;
const BANDS = 26;
const COEFFICIENTS = 13;
const [LOWEST, HIGHEST] = [80, 7600];
/**
 * The factor converts a difference of natural logarithms of power, with all coefficients twice but the first, to
 * decibels.
 */
const DECIBELS = (10 / Math.LN10) * Math.SQRT2;

const mel = (hertz: number): number => 1127 * Math.log(1 + hertz / 700);
const hertz = (value: number): number => 700 * (Math.exp(value / 1127) - 1);

/** Returns the triangular mel filters: the weights of each band over the bins of a window. */
function triangles(rate: number): Float64Array[] {
  const step = (mel(HIGHEST) - mel(LOWEST)) / (BANDS + 1);
  const edge = (at: number): number => (hertz(mel(LOWEST) + at * step) * SIZE) / rate;
  return Array.from({ length: BANDS }, (_, band) => {
    const [low, middle, high] = [edge(band), edge(band + 1), edge(band + 2)];
    return Float64Array.from({ length: SIZE / 2 }, (_, bin) =>
      Math.max(0, Math.min((bin - low) / (middle - low), (high - bin) / (high - middle))),
    );
  });
}

function cepstra(samples: Float32Array, rate: number): Float64Array[] {
  const bands = triangles(rate);
  const columns = Math.max(2, Math.floor((samples.length - SIZE) / (rate / 50)) + 1);
  const power = spectrogram(samples, SIZE, columns);
  return Array.from({ length: columns }, (_, column) => {
    const bins = power.subarray((column * SIZE) / 2, ((column + 1) * SIZE) / 2);
    const logs = bands.map((band) => {
      const sum = band.reduce((total, weight, bin) => total + weight * bins[bin]!, 0);
      return Math.log(sum + 1e-6) / 2;
    });
    return Float64Array.from({ length: COEFFICIENTS }, (_, k) => {
      const cosine = (_: number, band: number) => Math.cos((Math.PI * (k + 1) * (band + 0.5)) / BANDS);
      return (2 / BANDS) * logs.reduce((total, log, band) => total + log * cosine(log, band), 0);
    });
  });
}

const distance = (a: Float64Array, b: Float64Array): number =>
  DECIBELS * Math.sqrt(a.reduce((sum, value, k) => sum + (value - b[k]!) ** 2, 0));

/**
 * Returns pairs of frames along the cheapest path through both recordings (dynamic time warping), from the ends to
 * the beginnings.
 */
function aligned(a: readonly Float64Array[], b: readonly Float64Array[]): [number, number, number][] {
  const cost = a.map(() => new Float64Array(b.length));
  const before = (i: number, j: number): number => (i < 0 || j < 0 ? Number.POSITIVE_INFINITY : cost[i]![j]!);
  const least = (i: number, j: number): number =>
    Math.min(before(i - 1, j - 1), before(i - 1, j), before(i, j - 1));
  for (let i = 0; i < a.length; i++)
    for (let j = 0; j < b.length; j++)
      cost[i]![j] = distance(a[i]!, b[j]!) + (i === 0 && j === 0 ? 0 : least(i, j));
  const pairs: [number, number, number][] = [];
  let [i, j] = [a.length - 1, b.length - 1];
  while (i >= 0 && j >= 0) {
    pairs.push([i, j, distance(a[i]!, b[j]!)]);
    const next = least(i, j);
    if (next === before(i - 1, j - 1)) [i, j] = [i - 1, j - 1];
    else if (next === before(i - 1, j)) i--;
    else j--;
  }
  return pairs;
}

function spoken(samples: Float32Array): Float32Array {
  const loud = (value: number): boolean => Math.abs(value) > 0.01;
  return samples.subarray(Math.max(0, samples.findIndex(loud)), samples.findLastIndex(loud) + 1);
}

export function spectralMatch(one: Float32Array, other: Float32Array, rate: number): SpectralMatch {
  const [a, b] = [spoken(one), spoken(other)];
  const pairs = aligned(cepstra(a, rate), cepstra(b, rate));
  const [high, low] = [pitches(a, rate), pitches(b, rate)];
  const steps = pairs.flatMap(([i, j]) =>
    high[i] && low[j] ? [Math.abs(12 * Math.log2(high[i]! / low[j]!))] : [],
  );
  steps.sort((x, y) => x - y);
  return {
    decibels: pairs.reduce((sum, [, , apart]) => sum + apart, 0) / pairs.length,
    semitones: steps[steps.length >> 1] ?? Number.NaN,
  };
}
