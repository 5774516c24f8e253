import type { JobKind } from '../contract.ts';
import { type EngineVoice, flattenVoice } from './synthesize.ts';

export const learnVoiceJob: JobKind<{ readonly voice: EngineVoice }> = {
  name: 'learn_voice',
  flatten: ({ voice }) => flattenVoice(voice),
};
