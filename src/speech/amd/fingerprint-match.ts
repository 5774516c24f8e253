/** Words of 16 bits each, as the engine writes them: one for 32 ms of a greeting. */
export type Fingerprint = Uint16Array;

/** Least words that two greetings must share in time: two seconds. */
const LEAST_WORDS = 62;
/** Greetings begin at the same word, give or take what voice activity makes of it. */
const MOST_SHIFT = 24;

/** How alike two greetings are: 1 the same bits, 0.5 strangers; undefined where too little of both was heard. */
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

/** Two recordings of one greeting stay above it through a telephone line; what a person says twice stays far below. */
export const SAME_GREETING = 0.72;

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) ++count;
  return count;
}
