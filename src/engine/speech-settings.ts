import { join } from 'node:path';
import { phonemesProgram } from './addon.ts';

/** Settings of the kinds that speak: the program beside the addon, and where what is learnt of voices is kept. */
export const speechSettings = (data: string): Record<string, string> => ({
  'speak.phonemes_program': phonemesProgram,
  'speak.calibrations': join(data, 'voices'),
});
