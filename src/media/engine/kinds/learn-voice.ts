import type { JobKind } from '../contract.ts';
import { type EngineVoice, flattenVoice } from './synthesize.ts';

/** Learns a voice before anybody waits for it; native/lanes/speak/learn_voice_job.h tells the contract. */
export const learnVoiceJob: JobKind<{ readonly voice: EngineVoice }> = {
  name: 'learn_voice',
  flatten: ({ voice }) => flattenVoice(voice),
};
