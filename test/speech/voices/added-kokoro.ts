import type { AddedKokoro } from '../../../src/speech/added-models/index.ts';

const voice = (name: string, language: string): AddedKokoro['voices'][number] => ({
  name,
  style: name,
  language,
  region: null,
  accent: language,
  gender: 'female',
});

/** An entry of the lock: its voices serve Speak and Cast, not calls. It has no files, so that nothing is damaged. */
export const ADDED_KOKORO: AddedKokoro = {
  kind: 'kokoro-model',
  name: 'our_kokoro',
  source: '/our_kokoro',
  revision: null,
  licence: null,
  addedAt: '2026-01-01T00:00:00.000Z',
  inputs: [],
  files: [],
  folder: 'our_kokoro',
  voices: [voice('one', 'en'), voice('two', 'pt')],
  measured: { realTimeFactor: 0.88, memoryBytes: 1, spoken: '', heard: null },
};
