import type { Clock } from '../platform/clock.ts';
import { acrossBorders, type Storage } from '../storage/index.ts';

const DAY_MS = 24 * 3600 * 1000;

export interface GapSweepDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  /** How long an organization keeps what was said in its calls. */
  readonly retention: (orgId: string) => Promise<{ readonly transcript: number }>;
}

/** Removes the questions of calls whose transcripts are no longer kept. */
export async function sweepGaps({ storage, clock, retention }: GapSweepDeps): Promise<void> {
  const db = acrossBorders(storage.db);
  const orgs = await db.selectFrom('knowledge_gaps').select('org_id').distinct().execute();
  for (const { org_id: org } of orgs) {
    const { transcript } = await retention(org);
    await db
      .deleteFrom('knowledge_gaps')
      .where('org_id', '=', org)
      .where('created_at', '<', clock.now() - transcript * DAY_MS)
      .where('id', 'not in', (held) => held.selectFrom('legal_holds').select('record'))
      .execute();
  }
}
