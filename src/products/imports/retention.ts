import { RetentionSweep, type RetentionSweepOptions, retentionRule } from '../../foundation/privacy/index.ts';

/** Forgets who called whom once the words of the call are forgotten. */
export const importSweep = (deps: RetentionSweepOptions): RetentionSweep =>
  new RetentionSweep(deps, [retentionRule({ table: 'imported_calls', counted: 'imported_calls' })]);
