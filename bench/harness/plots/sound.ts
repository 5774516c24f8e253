/**
 * Computes the Hann-windowed power: `columns` windows spread over the samples, `size / 2` bins each, column by
 * column.
 */
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
