import { expiring, type RetentionDeps, RetentionSweep } from '../../foundation/privacy/index.ts';

/** Forgets who called whom once the words of the call are forgotten. */
export const importSweep = (deps: RetentionDeps): RetentionSweep =>
  new RetentionSweep(deps, [expiring({ table: 'imported_calls', counted: 'imported_calls' })]);
