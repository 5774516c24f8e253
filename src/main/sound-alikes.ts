import { readFileSync } from 'node:fs';
import type { Pronouncers } from '../conversation/knowledge/index.ts';
import type { Models } from '../foundation/platform/models/index.ts';
import { contentStems } from '../language/retrieval/index.ts';
import { openPronunciation } from './pronunciation.ts';

/** The embedding model knows common English words as whole tokens and splits names and terms. */
const MODEL = 'minilm-l6';
const LANGUAGE = 'en';

/** Returns null where this machine cannot pronounce or has no list of common words. */
export function openSoundAlikes(models: Models): Pronouncers | null {
  const spoken = openPronunciation(models);
  if (spoken === null || !models.status(MODEL).ready) return null;
  let common: ReadonlySet<string> | null = null;
  const isCommon = (word: string): boolean => {
    common ??= commonStems(models.path(`${MODEL}/vocab.txt`));
    return contentStems(word, LANGUAGE).every((stem) => common?.has(stem));
  };
  const words = { isCommon, pronounce: (all: readonly string[]) => spoken.pronounce(all, LANGUAGE) };
  return { of: (language) => (language === LANGUAGE ? words : null), close: spoken.close };
}

const commonStems = (file: string): ReadonlySet<string> =>
  new Set(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((piece) => /^[a-z]{2,}$/.test(piece))
      .flatMap((word) => contentStems(word, LANGUAGE)),
  );
