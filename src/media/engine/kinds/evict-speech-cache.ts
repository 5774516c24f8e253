import type { JobKind } from '../contract.ts';

/** Forgets what was kept of an owner's sounds, without one of everybody's; native/lanes/speak/forget_sounds_job.h tells the contract. */
export const evictSpeechCacheJob: JobKind<{ readonly owner?: string }> = {
  name: 'forget_sounds',
  flatten: ({ owner }) => ({ owner }),
};
