export const samplesOf = (pcm: Buffer): Int16Array => {
  const copy = new Uint8Array(pcm);
  return new Int16Array(copy.buffer, 0, copy.length >> 1);
};

/** Returns the highest correlation of two signals when one may lag by up to `lag` samples: 1 for the same audio. */
export function correlation(a: Int16Array, b: Int16Array, lag: number): number {
  const length = Math.min(a.length, b.length) - 2 * lag;
  let best = -1;
  for (let shift = -lag; shift <= lag; shift++) {
    let ab = 0;
    let aa = 0;
    let bb = 0;
    for (let i = lag; i < lag + length; i += 3) {
      const x = a[i]!;
      const y = b[i + shift]!;
      ab += x * y;
      aa += x * x;
      bb += y * y;
    }
    best = Math.max(best, ab / Math.sqrt(aa * bb));
  }
  return best;
}
