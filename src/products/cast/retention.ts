import type { TenantScope } from '../../foundation/access/contract.ts';
import {
  RetentionSweep,
  type RetentionSweepOptions,
  removeOrphans,
  retentionRule,
} from '../../foundation/privacy/index.ts';
import { type Blobs, withinTenant } from '../../foundation/storage/index.ts';
import { BLOB_AREA, takeKey } from './blobs.ts';

interface CastSweepDeps extends RetentionSweepOptions {
  readonly blobs: Blobs;
}

const ENDED = {
  table: 'cast_renders',
  since: 'completed_at',
  partOf: 'cast_id',
  whereEnded: ['status', 'in', ['completed', 'failed', 'cancelled']],
} as const;

/**
 * Removes the audio of renders and lines, and the records of renders, after their retention, and files without a row.
 * Projects stay, because they are the customer's own work.
 */
export function castSweep(deps: CastSweepDeps): RetentionSweep {
  const audio = retentionRule({
    ...ENDED,
    counted: 'cast_audio',
    policy: 'jobAudio',
    whereRemaining: ['audio_removed_at', 'is', null],
    remove: (scope, id) => forgetAudio(deps, scope, id),
  });
  const takes = retentionRule({
    table: 'cast_takes',
    counted: 'cast_takes',
    policy: 'jobAudio',
    since: 'used_at',
    key: ['cast_id', 'take'],
    remove: (scope, castId, take) => removeTake(deps, scope, castId, take as string),
  });
  const renders = retentionRule({
    ...ENDED,
    counted: 'cast_renders',
    remove: async (scope, id) => {
      await deps.blobs.deleteOwner(BLOB_AREA, id);
      const mine = withinTenant(deps.storage.db, scope);
      await mine.deleteFrom('cast_renders').where('id', '=', id).execute();
    },
  });
  return new RetentionSweep(deps, [audio, takes, renders], () =>
    removeOrphans(deps, BLOB_AREA, 'cast_projects', 'cast_renders'),
  );
}

async function forgetAudio(
  { storage, blobs, clock }: CastSweepDeps,
  scope: TenantScope,
  id: string,
): Promise<void> {
  await blobs.deleteOwner(BLOB_AREA, id);
  await withinTenant(storage.db, scope)
    .updateTable('cast_renders')
    .set({ audio_removed_at: clock.now() })
    .where('id', '=', id)
    .execute();
}

async function removeTake(
  { storage, blobs }: CastSweepDeps,
  scope: TenantScope,
  castId: string,
  take: string,
): Promise<void> {
  // The audio is removed first, because nothing would find it without its row.
  await blobs.delete(takeKey(castId, take));
  await withinTenant(storage.db, scope)
    .deleteFrom('cast_takes')
    .where('cast_id', '=', castId)
    .where('take', '=', take)
    .execute();
}
