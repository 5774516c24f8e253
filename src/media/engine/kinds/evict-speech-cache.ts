import type { JobKind } from '../contract.ts';

export const evictSpeechCacheJob: JobKind<{ readonly owner?: string }> = {
  name: 'forget_sounds',
  flatten: ({ owner }) => ({ owner }),
};
