import type { TenantScope } from '../../foundation/access/contract.ts';
import {
  RetentionSweep,
  type RetentionSweepOptions,
  removeOrphans,
  retentionRule,
} from '../../foundation/privacy/index.ts';
import { type Blobs, withinTenant } from '../../foundation/storage/index.ts';
import { BLOB_AREA } from './transcription-jobs.ts';

interface JobSweepDeps extends RetentionSweepOptions {
  readonly blobs: Blobs;
}

const ENDED = {
  table: 'transcription_jobs',
  since: 'completed_at',
  whereEnded: ['status', 'in', ['completed', 'failed']],
} as const;

export function jobSweep(deps: JobSweepDeps): RetentionSweep {
  const audio = retentionRule({
    ...ENDED,
    counted: 'job_audio',
    policy: 'jobAudio',
    whereRemaining: ['audio_removed_at', 'is', null],
    remove: (scope, id) => forgetAudio(deps, scope, id),
  });
  const whole = retentionRule({
    ...ENDED,
    counted: 'jobs',
    remove: (scope, id) => removeJob(deps, scope, id),
  });
  return new RetentionSweep(deps, [audio, whole], () => removeOrphans(deps, BLOB_AREA, 'transcription_jobs'));
}

async function forgetAudio(
  { storage, blobs, clock }: JobSweepDeps,
  scope: TenantScope,
  id: string,
): Promise<void> {
  await blobs.deleteOwner(BLOB_AREA, id);
  await withinTenant(storage.db, scope)
    .updateTable('transcription_jobs')
    .set({ audio_removed_at: clock.now() })
    .where('id', '=', id)
    .execute();
}

/** Removes the audio with the job, also where transcripts expire before audio. */
async function removeJob({ storage, blobs }: JobSweepDeps, scope: TenantScope, id: string): Promise<void> {
  await blobs.deleteOwner(BLOB_AREA, id);
  await storage.transaction(async (trx) => {
    await withinTenant(trx, scope).deleteFrom('transcription_jobs').where('id', '=', id).execute();
    await trx.deleteFrom('jobs').where('id', '=', id).execute();
  });
}
