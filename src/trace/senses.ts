/** What rules know beyond the letters of a text: how words sound and what sentences mean. It is gathered before a
 * conversation is judged, so that judging itself waits for nothing. */

export interface Senses {
  /** The sounds of a word, one character each; null: nobody can say. */
  sounds(word: string, language: string): string | null;
  /** How alike two sentences are in meaning, to a hundredth; null: nobody can say. */
  likeness(one: string, other: string, language: string | null): number | null;
  /** The zones of a telephone number; null: its number tells none, or too many to be sure of one. */
  zones(number: string): readonly string[] | null;
}

/** Words into IPA, in their order. */
export type Pronounce = (words: readonly string[], language: string) => Promise<readonly string[]>;
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;
export type ZonesOf = (number: string) => Promise<readonly string[] | null>;

/** What has to be known of a conversation and its rules. */
export interface Wanted {
  readonly language: string | null;
  readonly words: readonly string[];
  readonly sentences: readonly string[];
  readonly numbers: readonly string[];
}
