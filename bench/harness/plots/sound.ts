import { encodePng } from './png.ts';
import { type Axis, axes, makeScale, SHEET, type Sheet, svg } from './svg.ts';

const WIDE: Sheet = { ...SHEET, right: 40 };

export interface Sound {
  title: string;
  samples: Float32Array;
  rate: number;
}

/** The outline (smallest and largest sample of each column) of a stretch of sound. */
export function waveformPlot({ title, samples, rate }: Sound): string {
  const right = WIDE.width - WIDE.right;
  const base = WIDE.height - WIDE.bottom;
  const columns = right - WIDE.left;
  const seconds: Axis = { label: 'seconds', min: 0, max: Math.max(samples.length, 1) / rate };
  const level: Axis = { label: 'amplitude', min: -1, max: 1 };
  const xScale = makeScale(seconds, [], WIDE.left, right);
  const yScale = makeScale(level, [], base, WIDE.top);
  const lines: string[] = [];
  for (let column = 0; column < columns; column++) {
    const from = Math.floor((column * samples.length) / columns);
    const to = Math.max(from + 1, Math.floor(((column + 1) * samples.length) / columns));
    let low = Infinity;
    let high = -Infinity;
    for (let at = from; at < Math.min(to, samples.length); at++) {
      const value = samples[at] as number;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (low > high) continue;
    const x = WIDE.left + column + 0.5;
    lines.push(`M${x} ${yScale.at(high).toFixed(1)}V${(yScale.at(low) + 0.6).toFixed(1)}`);
  }
  return svg(WIDE, title, [
    ...axes(WIDE, seconds, level, xScale, yScale),
    `<path d="${lines.join('')}" stroke="#0b5fa5" fill="none"/>`,
  ]);
}

/** Power over time and frequency, from `floor` dB (dark) to the loudest point (light), as an image inside the SVG. */
export function spectrogramPlot(
  { title, samples, rate }: Sound,
  options: { size?: number; floor?: number; columns?: number } = {},
): string {
  const right = WIDE.width - WIDE.right;
  const base = WIDE.height - WIDE.bottom;
  const { size = 512, floor = -100, columns = right - WIDE.left } = options;
  const rows = size / 2;
  const power = spectrogram(samples, size, columns);
  const loudest = power.reduce((a, b) => Math.max(a, b), 1e-30);
  const rgb = new Uint8Array(columns * rows * 3);
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      const db = 10 * Math.log10((power[column * rows + row] as number) / loudest + 1e-30);
      rgb.set(heat(1 - db / floor), ((rows - 1 - row) * columns + column) * 3);
    }
  }
  const image = encodePng(columns, rows, rgb).toString('base64');
  const seconds: Axis = { label: 'seconds', min: 0, max: Math.max(samples.length, 1) / rate };
  const hertz: Axis = { label: 'kHz', min: 0, max: rate / 2000 };
  const xScale = makeScale(seconds, [], WIDE.left, right);
  const yScale = makeScale(hertz, [], base, WIDE.top);
  return svg(WIDE, title, [
    ...axes(WIDE, seconds, hertz, xScale, yScale),
    `<image x="${WIDE.left}" y="${WIDE.top}" width="${right - WIDE.left}" height="${base - WIDE.top}" preserveAspectRatio="none" href="data:image/png;base64,${image}"/>`,
  ]);
}

/** Hann-windowed power, `columns` windows spread over the samples, `size / 2` bins each, one column after another. */
export function spectrogram(samples: Float32Array, size: number, columns: number): Float64Array {
  if (!Number.isInteger(Math.log2(size)))
    throw new RangeError(`size: expected a power of two, received ${size}`);
  const window = Float64Array.from(
    { length: size },
    (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / size),
  );
  const power = new Float64Array((columns * size) / 2);
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  for (let column = 0; column < columns; column++) {
    const start = Math.round((column * Math.max(0, samples.length - size)) / Math.max(1, columns - 1));
    for (let at = 0; at < size; at++) re[at] = (samples[start + at] ?? 0) * (window[at] as number);
    im.fill(0);
    fourier(re, im);
    for (let bin = 0; bin < size / 2; bin++) {
      power[(column * size) / 2 + bin] = (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
    }
  }
  return power;
}

/** Radix-2 transform in place. */
function fourier(re: Float64Array, im: Float64Array): void {
  const size = re.length;
  for (let at = 1, mirror = 0; at < size; at++) {
    let bit = size >> 1;
    for (; mirror & bit; bit >>= 1) mirror ^= bit;
    mirror ^= bit;
    if (at >= mirror) continue;
    [re[at], re[mirror]] = [re[mirror] as number, re[at] as number];
    [im[at], im[mirror]] = [im[mirror] as number, im[at] as number];
  }
  for (let half = 1; half < size; half *= 2) {
    for (let k = 0; k < half; k++) {
      const angle = (-Math.PI * k) / half;
      const [wr, wi] = [Math.cos(angle), Math.sin(angle)];
      for (let at = k; at < size; at += 2 * half) butterfly(re, im, at, at + half, wr, wi);
    }
  }
}

function butterfly(re: Float64Array, im: Float64Array, a: number, b: number, wr: number, wi: number): void {
  const tr = (re[b] as number) * wr - (im[b] as number) * wi;
  const ti = (re[b] as number) * wi + (im[b] as number) * wr;
  re[b] = (re[a] as number) - tr;
  im[b] = (im[a] as number) - ti;
  re[a] = (re[a] as number) + tr;
  im[a] = (im[a] as number) + ti;
}

/** Black, violet, orange, white: brightness rises evenly, so that it also reads in grey. */
function heat(share: number): [number, number, number] {
  const t = Math.min(1, Math.max(0, share));
  const part = (from: number, to: number) =>
    Math.round(255 * Math.min(1, Math.max(0, (t - from) / (to - from))));
  return [part(0.15, 0.7), part(0.45, 0.95), Math.max(part(0, 0.3) >> 1, part(0.75, 1))];
}
