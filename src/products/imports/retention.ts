import { RetentionSweep, type RetentionSweepOptions, retentionRule } from '../../foundation/privacy/index.ts';

/** Removes both numbers of a call once its transcript has expired. */
export const importSweep = (deps: RetentionSweepOptions): RetentionSweep =>
  new RetentionSweep(deps, [retentionRule({ table: 'imported_calls', counted: 'imported_calls' })]);
