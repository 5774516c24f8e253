import type { Clock } from '../platform/clock.ts';
import { acrossTenants, type Blobs, type Storage } from '../storage/index.ts';

/** An upload takes at most this long from its first byte to its record. */
const UNCLAIMED_MS = 3600 * 1000;

type Owning =
  | 'transcription_jobs'
  | 'dub_jobs'
  | 'telephony_voicemails'
  | 'telephony_calls'
  | 'omni_calls'
  | 'call_recordings'
  | 'cast_projects'
  | 'cast_renders';

/** Removes files without a record: of an aborted upload, or of a record that was removed during the upload. */
export async function removeOrphans(
  { storage, blobs, clock }: { readonly storage: Storage; readonly blobs: Blobs; readonly clock: Clock },
  area: string,
  ...tables: readonly Owning[]
): Promise<void> {
  for await (const id of blobs.owners(area)) {
    if (await isOwned(storage, tables, id)) continue;
    const stored = await blobs.list(area, id);
    if (stored.every(({ modifiedAt }) => clock.now() - modifiedAt > UNCLAIMED_MS))
      await blobs.deleteOwner(area, id);
  }
}

async function isOwned(storage: Storage, tables: readonly Owning[], id: string): Promise<boolean> {
  for (const table of tables) {
    const rows = acrossTenants(storage.db).selectFrom(table).select('id').where('id', '=', id);
    if (await rows.executeTakeFirst()) return true;
  }
  return false;
}
