import type { Interlude } from '../session/index.ts';

export const SILENCE: Interlude = { begin: () => ({ kind: 'wait' }), take: () => ({ kind: 'wait' }) };
