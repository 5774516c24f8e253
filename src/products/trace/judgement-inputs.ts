/**
 * The phonetic readings, sentence vectors and time zones that a judgement needs. They are gathered before a
 * conversation is judged, so that the judgement itself is synchronous.
 */
export interface JudgementInputs {
  /** The sounds of a word, one character each; null: nobody can say. */
  sounds(word: string, language: string): string | null;
  /** How alike two sentences are in meaning, to a hundredth; null: nobody can say. */
  similarity(one: string, other: string, language: string | null): number | null;
  /** The zones of a telephone number; null: its number tells none, or too many to be sure of one. */
  zones(number: string): readonly string[] | null;
}

/** The same as data, which goes from one thread to another. */
export interface JudgementInputData {
  /** The language of the phonemes. */
  readonly language: string;
  readonly sounds: ReadonlyMap<string, string>;
  /** The vectors of sentences, by text. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
  readonly zones: ReadonlyMap<string, readonly string[] | null>;
}

export const judgementInputsOf = ({
  language,
  sounds,
  vectors,
  zones,
}: JudgementInputData): JudgementInputs => ({
  sounds: (word, of) => (of === language ? (sounds.get(word) ?? null) : null),
  similarity: (one, other) => cosine(vectors.get(one), vectors.get(other)),
  zones: (number) => zones.get(number) ?? null,
});

/** The result is rounded to a hundredth, because a verdict should not depend on the last bits of a sum. */
function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number | null {
  if (a === undefined || b === undefined) return null;
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return Math.round(sum * 100) / 100;
}

/** Words into IPA, in their order. */
export type Pronounce = (words: readonly string[], language: string) => Promise<readonly string[]>;
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;
export type ZonesOf = (number: string) => readonly string[] | null;

export interface RequiredInputs {
  readonly language: string | null;
  readonly words: readonly string[];
  readonly sentences: readonly string[];
  readonly numbers: readonly string[];
}
