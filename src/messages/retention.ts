import { expiring, type RetentionDeps, RetentionSweep } from '../privacy/index.ts';

/** Forgets what was written once it is as old as transcripts may be; who wants no messages is kept. */
export const messageSweep = (deps: RetentionDeps): RetentionSweep =>
  new RetentionSweep(deps, [expiring({ table: 'messages', counted: 'messages' })]);
