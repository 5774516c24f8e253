/** Costs lie between 0 (the same) and 1 (nothing in common); both tables are indexed by codes of characters. */
export interface Costs {
  readonly change: Float32Array;
  readonly gap: Float32Array;
}

export interface Alignment {
  readonly cost: number;
  readonly from: number;
  readonly to: number;
}

/** The text with the offsets where a match may begin and end. */
export interface Anchored {
  readonly text: string;
  readonly starts: ReadonlySet<number>;
  readonly ends: ReadonlySet<number>;
}

/** Characters above ASCII share one code: sounds and folded letters are almost always below. */
const CODES = 128;
const codeAt = (text: string, at: number): number => Math.min(text.charCodeAt(at), CODES - 1);

function costsOf(
  groups: readonly (readonly [chars: string, cost: number])[],
  gaps: Readonly<Record<string, number>>,
): Costs {
  const change = new Float32Array(CODES * CODES).fill(1);
  const gap = new Float32Array(CODES).fill(1);
  for (let code = 0; code < CODES - 1; code++) change[code * CODES + code] = 0;
  for (const [chars, cost] of groups)
    for (let one = 0; one < chars.length; one++)
      for (let other = 0; other < chars.length; other++) {
        const at = codeAt(chars, one) * CODES + codeAt(chars, other);
        change[at] = Math.min(cost, change[at] as number);
      }
  for (const [char, cost] of Object.entries(gaps)) gap[codeAt(char, 0)] = cost;
  return { change, gap };
}

const gaps = (chars: string, cost: number): Record<string, number> =>
  Object.fromEntries([...chars].map((char) => [char, cost]));

/** A telephone line carries 300 to 3,400 Hz, so that fricatives, stops and nasals are confused within their groups. */
export const SOUND_COSTS = costsOf(
  [
    ['aeiouyAO123', 0.5],
    ['ei', 0.35],
    ['iy', 0.35],
    ['ou', 0.35],
    ['aA', 0.4],
    ['eA', 0.4],
    ['ij', 0.3],
    ['uw', 0.3],
    ['vw', 0.3],
    ['bp', 0.35],
    ['dt', 0.3],
    ['gk', 0.35],
    ['fv', 0.3],
    ['bv', 0.4],
    ['sfT', 0.45],
    ['sSCZJz', 0.45],
    ['mnN', 0.4],
    ['lL', 0.3],
    ['jL', 0.3],
    ['lr', 0.6],
    ['xhk', 0.5],
    ['xS', 0.5],
    ['13', 0.35],
    ['12', 0.35],
    ['ptk', 0.6],
    ['bdg', 0.6],
  ],
  { ...gaps('aeiouyAO123', 0.6), ...gaps('hj', 0.35), ...gaps('tds', 0.7), ...gaps('rn', 0.8) },
);

/** The names of these letters and digits sound alike on a line. A recognizer also drops punctuation. */
export const LETTER_COSTS = costsOf(
  [
    ['bdegptvcz', 0.5],
    ['mn', 0.4],
    ['fsx', 0.4],
    ['ajkh', 0.5],
    ['iye', 0.5],
    ['quw', 0.5],
    ['o0', 0.1],
    ['h8a', 0.6],
    ['59', 0.5],
    ['19', 0.5],
    ['15', 0.6],
    ['68', 0.6],
    ['23', 0.7],
    ['vwf', 0.5],
    ['sz', 0.5],
    ['ck', 0.5],
    ['._-', 0.3],
  ],
  gaps('._-+@ ', 0.4),
);

/** Compares the whole text with the whole pattern. */
export const distance = (pattern: string, text: string, costs: Costs): number =>
  align(pattern, { text, starts: new Set([0]), ends: new Set([text.length]) }, costs)?.cost ?? pattern.length;

/** Finds where the pattern fits the text best, between its anchors, by dynamic programming over columns of text. */
export function align(
  pattern: string,
  { text, starts, ends }: Anchored,
  { change, gap }: Costs,
): Alignment | null {
  const rows = pattern.length;
  const wanted = new Uint8Array(rows);
  let [costs, nextCosts] = [new Float32Array(rows + 1), new Float32Array(rows + 1)];
  let [begun, nextBegun] = [new Int32Array(rows + 1), new Int32Array(rows + 1)];
  costs[0] = starts.has(0) ? 0 : Number.POSITIVE_INFINITY;
  for (let row = 1; row <= rows; row++) {
    wanted[row - 1] = codeAt(pattern, row - 1);
    costs[row] = (costs[row - 1] as number) + (gap[wanted[row - 1] as number] as number);
  }
  let best: Alignment | null = null;
  for (let column = 1; column <= text.length; column++) {
    const char = codeAt(text, column - 1);
    const skip = gap[char] as number;
    const goesOn = (costs[0] as number) + skip;
    const begins = starts.has(column);
    nextCosts[0] = begins ? 0 : goesOn;
    nextBegun[0] = begins ? column : (begun[0] as number);
    for (let row = 1; row <= rows; row++) {
      const code = wanted[row - 1] as number;
      let least = (costs[row - 1] as number) + (change[code * CODES + char] as number);
      let from = begun[row - 1] as number;
      const skipped = (costs[row] as number) + skip;
      if (skipped < least) {
        least = skipped;
        from = begun[row] as number;
      }
      const missed = (nextCosts[row - 1] as number) + (gap[code] as number);
      if (missed < least) {
        least = missed;
        from = nextBegun[row - 1] as number;
      }
      nextCosts[row] = least;
      nextBegun[row] = from;
    }
    [costs, nextCosts] = [nextCosts, costs];
    [begun, nextBegun] = [nextBegun, begun];
    if (!ends.has(column)) continue;
    const cost = costs[rows] as number;
    const from = begun[rows] as number;
    const isBetter =
      best === null || cost < best.cost - ROUNDING || (cost < best.cost + ROUNDING && from < best.from);
    if (from < column && isBetter) best = { cost, from, to: column };
  }
  return best;
}

const ROUNDING = 1e-4;
