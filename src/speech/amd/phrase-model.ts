import { nearest, wordsOf } from './words.ts';

export interface Spoken<Said extends string> {
  readonly scores: Readonly<Record<Said, number>>;
  readonly runs: Readonly<Record<Said, readonly string[]>>;
  readonly words: number;
}

/** Sentences together weigh no more than this, so that they never outweigh all other evidence. */
const MOST = 12;
/** The limit by length of a run keeps a single run, even a keyword, below a decision. */
const MOST_OF_ONE = [0, 0.9, 1.5, 2.2];
const SMOOTHING = 0.35;
/** The least weight by length of a run: a single word counts only where the other classes rarely use it. */
const LEAST_WEIGHT = [0, 1.6, 0.9, 0.9];
const LONGEST_RUN = 3;
/** Each further run counts less, because a long text contains some runs of every class. */
const FADING = 0.88;
/** Longer runs are less often coincidences. */
const TRUST = [0, 0.4, 0.8, 1];

/**
 * Learns from sentences which runs of one to three words each class says. It weighs a text by its runs and counts
 * each word once, in its longest known run. It reads an unknown word as the nearest known one.
 */
export class PhraseModel<Said extends string> {
  readonly #classes: readonly Said[];
  readonly #weights = new Map<string, readonly (readonly [Said, number])[]>();
  readonly #vocabulary = new Set<string>();

  constructor(sentences: Readonly<Record<Said, readonly string[]>>) {
    this.#classes = Object.keys(sentences) as Said[];
    const counts = new Map<string, Map<Said, number>>();
    const totals = new Map<Said, number>();
    for (const said of this.#classes) {
      totals.set(said, sentences[said].length);
      for (const sentence of sentences[said]) this.#count(said, wordsOf(sentence), counts);
    }
    const all = [...totals.values()].reduce((sum, count) => sum + count, 0);
    for (const [run, by] of counts) this.#weights.set(run, weigh(run, by, totals, all));
  }

  read(text: string): Spoken<Said> {
    const words = wordsOf(text).map((word) =>
      this.#vocabulary.has(word) ? word : (nearest(word, this.#vocabulary) ?? word),
    );
    const found = new Map<Said, { run: string; weight: number }[]>(this.#classes.map((said) => [said, []]));
    for (let at = 0; at < words.length; ) {
      const length = this.#longest(words, at);
      const run = words.slice(at, at + length).join(' ');
      for (const [answer, weight] of this.#weights.get(run) ?? []) found.get(answer)!.push({ run, weight });
      at += Math.max(1, length - (length > 1 ? 1 : 0));
    }
    const scores = {} as Record<Said, number>;
    const runs = {} as Record<Said, readonly string[]>;
    for (const [answer, some] of found) {
      const distinct = [...new Map(some.map((entry) => [entry.run, entry])).values()];
      distinct.sort((one, other) => other.weight - one.weight);
      const sum = distinct.reduce((total, { weight }, place) => total + weight * FADING ** place, 0);
      scores[answer] = Math.min(distinct.length < 2 ? mostOfOne(distinct[0]?.run) : MOST, sum);
      runs[answer] = distinct.map(({ run }) => run);
    }
    return { scores, runs, words: words.length };
  }

  #count(said: Said, words: readonly string[], counts: Map<string, Map<Said, number>>): void {
    const runs = new Set<string>();
    for (let at = 0; at < words.length; ++at) {
      this.#vocabulary.add(words[at]!);
      for (let length = 1; length <= LONGEST_RUN && at + length <= words.length; ++length) {
        runs.add(words.slice(at, at + length).join(' '));
      }
    }
    for (const run of runs) {
      const by = counts.get(run) ?? new Map<Said, number>();
      by.set(said, (by.get(said) ?? 0) + 1);
      counts.set(run, by);
    }
  }

  #longest(words: readonly string[], at: number): number {
    for (let length = Math.min(LONGEST_RUN, words.length - at); length > 1; --length) {
      if (this.#weights.get(words.slice(at, at + length).join(' '))?.length) return length;
    }
    return 1;
  }
}

const mostOfOne = (run = ''): number => MOST_OF_ONE[run.split(' ').length]!;

function weigh<Said extends string>(
  run: string,
  by: ReadonlyMap<Said, number>,
  totals: ReadonlyMap<Said, number>,
  all: number,
): readonly (readonly [Said, number])[] {
  const length = run.split(' ').length;
  const everywhere = [...by.values()].reduce((sum, count) => sum + count, 0);
  const weights: (readonly [Said, number])[] = [];
  for (const [answer, total] of totals) {
    const here = by.get(answer) ?? 0;
    const rate = (here + SMOOTHING) / (total + 2 * SMOOTHING);
    const elsewhere = (everywhere - here + SMOOTHING) / (all - total + 2 * SMOOTHING);
    const weight = Math.log(rate / elsewhere);
    if (here > 0 && weight >= LEAST_WEIGHT[length]!) weights.push([answer, weight * TRUST[length]!]);
  }
  return weights;
}
