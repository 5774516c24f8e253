import type { Interlude } from '../session/index.ts';

/** The agent says nothing, and the model is not asked; what is said is in the transcript. */
export const SILENCE: Interlude = { begin: () => ({ kind: 'wait' }), take: () => ({ kind: 'wait' }) };
