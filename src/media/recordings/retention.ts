import { RetentionSweep, type RetentionSweepOptions, retentionRule } from '../../foundation/privacy/index.ts';
import type { Recordings } from './recordings.ts';

export const recordingSweep = (
  deps: RetentionSweepOptions,
  recordings: Pick<Recordings, 'remove'>,
): RetentionSweep =>
  new RetentionSweep(deps, [
    retentionRule({
      table: 'call_recordings',
      counted: 'call_recordings',
      policy: 'recording',
      whereEnded: ['status', 'in', ['success']],
      remove: async (scope, id) => {
        await recordings.remove(scope, id as string, 'recording_retention_over');
      },
    }),
  ]);
