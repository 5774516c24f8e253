import { join } from 'node:path';
import { PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import { phonemesProgram } from './addon.ts';

/** The profiles of stock voices ship with the project; scripts/learn-voices.mjs generates them. */
export const KNOWN_VOICES = join(PROJECT_ROOT, 'models/known-voices.bin');

export const speechSettings = (data: string): Record<string, string> => ({
  'speak.phonemes_program': phonemesProgram,
  'speak.calibrations': join(data, 'voices'),
  'speak.known_voices': KNOWN_VOICES,
});
