import type { Kysely } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Storage, Tables } from '../storage/index.ts';
import { newSecret } from './signature.ts';

/** Both secrets sign for this long after a rotation. */
export const OVERLAP_MS = 24 * 3600 * 1000;

export interface MintedSecret {
  readonly secret: string;
  readonly createdAt: number;
}

/** Mints an organization's signing secret, or replaces it; this is the only time that it is shown. */
export async function mintSecret(storage: Storage, clock: Clock, orgId: string): Promise<MintedSecret> {
  const secret = newSecret();
  const now = clock.now();
  await storage.transaction(async (trx) => {
    const current = await trx
      .selectFrom('webhook_secrets')
      .select('secret')
      .where('org_id', '=', orgId)
      .executeTakeFirst();
    const previous = current
      ? { previous_secret: current.secret, previous_until: now + OVERLAP_MS }
      : { previous_secret: null, previous_until: null };
    await trx
      .insertInto('webhook_secrets')
      .values({ org_id: orgId, secret, created_at: now, ...previous })
      .onConflict((conflict) =>
        conflict.column('org_id').doUpdateSet({ secret, created_at: now, ...previous }),
      )
      .execute();
  });
  return { secret, createdAt: now };
}

export interface SigningSecrets {
  readonly current: string | null;
  readonly previous: string | null;
}

export async function signingSecrets(
  db: Kysely<Tables>,
  orgId: string,
  now: number,
): Promise<SigningSecrets> {
  const row = await db
    .selectFrom('webhook_secrets')
    .selectAll()
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  if (!row) return { current: null, previous: null };
  const overlaps = row.previous_until !== null && now < row.previous_until;
  return { current: row.secret, previous: overlaps ? row.previous_secret : null };
}
