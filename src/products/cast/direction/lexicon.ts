import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../foundation/platform/project-root.ts';
import type { Emotion, LineDirection } from '../contract.ts';

interface Entries {
  /** Words of a writer's note, such as `whispering`. */
  readonly manners: readonly { readonly words: readonly string[]; readonly direction: LineDirection }[];
  /** Speech acts, such as thanks or an apology. */
  readonly acts: readonly {
    readonly act: string;
    readonly words: readonly string[];
    readonly direction: LineDirection;
  }[];
  readonly emotions: Readonly<Record<string, readonly string[]>>;
  readonly stress: {
    /** Words that are no abbreviations although they stand in capitals. */
    readonly capitals: readonly string[];
    /** Words that are nearly always stressed. */
    readonly words: readonly string[];
    /** Pairs such as `not` this `but` that. */
    readonly contrasts: readonly (readonly [string, string])[];
  };
}

export interface Lexicon {
  readonly manners: ReadonlyMap<string, LineDirection>;
  readonly acts: readonly { readonly words: readonly string[]; readonly direction: LineDirection }[];
  readonly emotions: ReadonlyMap<string, Emotion>;
  readonly capitals: ReadonlySet<string>;
  readonly stressed: ReadonlySet<string>;
  readonly contrasts: readonly (readonly [string, string])[];
}

const EMPTY: Lexicon = {
  manners: new Map(),
  acts: [],
  emotions: new Map(),
  capitals: new Set(),
  stressed: new Set(),
  contrasts: [],
};
const FOLDER = join(PROJECT_ROOT, 'models/direction');
const read = new Map<string, Lexicon>();

/** The lexicon of a language without a file is empty, so that only punctuation directs its lines. */
export function lexiconOf(language: string): Lexicon {
  const known = read.get(language);
  if (known !== undefined) return known;
  const path = join(FOLDER, `${language}.json`);
  const isCode = /^[a-z]{2}$/u.test(language);
  const lexicon =
    isCode && existsSync(path) ? from(JSON.parse(readFileSync(path, 'utf8')) as Entries) : EMPTY;
  read.set(language, lexicon);
  return lexicon;
}

const from = ({ manners, acts, emotions, stress }: Entries): Lexicon => ({
  capitals: new Set(stress.capitals),
  stressed: new Set(stress.words),
  contrasts: stress.contrasts,
  manners: new Map(
    manners.flatMap(({ words, direction }) => words.map((word) => [word, direction] as const)),
  ),
  acts: acts.flatMap(({ words, direction }) =>
    words.map((together) => ({ words: together.split(' '), direction })),
  ),
  emotions: new Map(
    Object.entries(emotions).flatMap(([emotion, words]) =>
      words.map((word) => [word, emotion as Emotion] as const),
    ),
  ),
});

export const tokensOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}'’]+/u)
    .map((word) => word.replaceAll('’', "'"))
    .filter((word) => word !== '');
