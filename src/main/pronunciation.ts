import type { Models } from '../foundation/platform/models/index.ts';
import { Pronouncer } from '../media/engine/index.ts';

const VOICES: Readonly<Record<string, string>> = { en: 'en-us', fr: 'fr-fr', es: 'es', de: 'de', hi: 'hi' };

export interface OpenedPronunciation {
  readonly pronounce: (words: readonly string[], language: string) => Promise<readonly string[]>;
  readonly close: () => void;
}

export function openPronunciation(models: Models): OpenedPronunciation | null {
  if (!models.status('espeak-ng').ready) return null;
  const pronouncer = new Pronouncer({
    library: models.path('espeak-ng/libespeak-ng.so.1'),
    data: models.folder('espeak-ng'),
  });
  // The program starts with its first word, so that the first call does not wait for it.
  pronouncer.pronounce(['one'], 'en-us').catch(() => undefined);
  return {
    pronounce: (words, language) => pronouncer.pronounce(words, VOICES[language] ?? 'en-us'),
    close: () => pronouncer.close(),
  };
}
