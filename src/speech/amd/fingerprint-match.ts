/** Each 16-bit word describes 32 ms of a greeting. */
export type Fingerprint = Uint16Array;

/** Two greetings must overlap by this many words: two seconds. */
const LEAST_WORDS = 62;
/** Voice activity detection moves the start of a greeting by up to this many words. */
const MOST_SHIFT = 24;

/**
 * Returns the largest share of equal bits over all shifts: 1 for the same, about 0.5 for unrelated greetings;
 * undefined for too short an overlap.
 */
export function fingerprintSimilarity(one: Fingerprint, other: Fingerprint): number | undefined {
  let best: number | undefined;
  for (let shift = -MOST_SHIFT; shift <= MOST_SHIFT; ++shift) {
    const from = Math.max(0, shift);
    const until = Math.min(one.length, other.length + shift);
    if (until - from < LEAST_WORDS) continue;
    let differing = 0;
    for (let at = from; at < until; ++at) differing += ones(one[at]! ^ other[at - shift]!);
    const similarity = 1 - differing / (16 * (until - from));
    if (best === undefined || similarity > best) best = similarity;
  }
  return best;
}

/**
 * Two recordings of one greeting stay above this through a telephone line; two utterances of a person stay far below.
 */
export const SAME_GREETING = 0.72;

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) ++count;
  return count;
}
