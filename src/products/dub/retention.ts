import type { TenantScope } from '../../foundation/access/contract.ts';
import {
  RetentionSweep,
  type RetentionSweepOptions,
  removeOrphans,
  retentionRule,
} from '../../foundation/privacy/index.ts';
import { type Blobs, withinTenant } from '../../foundation/storage/index.ts';
import { BLOB_AREA } from './keys-and-queues.ts';

interface DubSweepDeps extends RetentionSweepOptions {
  readonly blobs: Blobs;
}

const ENDED = {
  table: 'dub_jobs',
  since: 'completed_at',
  whereEnded: ['status', 'in', ['done', 'error']],
} as const;

/** Removes dubs after their retention, their audio first, and files without a row. */
export function dubSweep(deps: DubSweepDeps): RetentionSweep {
  const sounds = retentionRule({
    ...ENDED,
    counted: 'dub_audio',
    policy: 'jobAudio',
    whereRemaining: ['audio_removed_at', 'is', null],
    remove: (scope, id) => forgetSounds(deps, scope, id),
  });
  const whole = retentionRule({
    ...ENDED,
    counted: 'dubs',
    remove: async (scope, id) => {
      await deps.blobs.deleteOwner(BLOB_AREA, id);
      await deps.storage.transaction(async (trx) => {
        await withinTenant(trx, scope).deleteFrom('dub_jobs').where('id', '=', id).execute();
        await trx.deleteFrom('jobs').where('id', '=', id).execute();
      });
    },
  });
  return new RetentionSweep(deps, [sounds, whole], () => removeOrphans(deps, BLOB_AREA, 'dub_jobs'));
}

async function forgetSounds(
  { storage, blobs, clock }: DubSweepDeps,
  scope: TenantScope,
  id: string,
): Promise<void> {
  await blobs.deleteOwner(BLOB_AREA, id);
  await withinTenant(storage.db, scope)
    .updateTable('dub_jobs')
    .set({ audio_removed_at: clock.now(), output: null })
    .where('id', '=', id)
    .execute();
}
