import type { Reach } from '../access/contract.ts';
import type { Trx } from '../jobs/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Storage, within } from '../storage/index.ts';
import { newSecret } from './signature.ts';

/** Both secrets sign for this long after a rotation. */
export const OVERLAP_MS = 24 * 3600 * 1000;

export interface MintedSecret {
  readonly secret: string;
  readonly createdAt: number;
}

const PLACE = ['org_id', 'project_id', 'environment'] as const;

/** Mints the secret that signs, or replaces it; this is the only time that it is shown. */
export async function mintSecret(
  storage: Storage,
  clock: Clock,
  reach: Reach,
  beside: (trx: Trx) => Promise<void> = async () => {},
): Promise<MintedSecret> {
  const secret = newSecret();
  const now = clock.now();
  await storage.transaction(async (trx) => {
    const mine = within(trx, reach);
    const current = await mine.selectFrom('webhook_secrets').select('secret').executeTakeFirst();
    const previous = current
      ? { previous_secret: current.secret, previous_until: now + OVERLAP_MS }
      : { previous_secret: null, previous_until: null };
    await mine
      .insertInto('webhook_secrets', { secret, created_at: now, ...previous })
      .onConflict((conflict) => conflict.columns(PLACE).doUpdateSet({ secret, created_at: now, ...previous }))
      .execute();
    await beside(trx);
  });
  return { secret, createdAt: now };
}

/** Nothing is ever sent unsigned: where nobody has minted a secret yet there is one that nobody was shown. Whoever mints
 * then reads what was sent before by the signature of the secret before. */
export async function ensureSecret(trx: Trx, clock: Clock, reach: Reach): Promise<void> {
  await within(trx, reach)
    .insertInto('webhook_secrets', { secret: newSecret(), created_at: clock.now() })
    .onConflict((conflict) => conflict.columns(PLACE).doNothing())
    .execute();
}

export interface SigningSecrets {
  readonly current: string;
  readonly previous: string | null;
}

export async function signingSecrets(storage: Storage, clock: Clock, reach: Reach): Promise<SigningSecrets> {
  const read = () => within(storage.db, reach).selectFrom('webhook_secrets').selectAll().executeTakeFirst();
  let row = await read();
  if (row === undefined) {
    // An event that was recorded before events made sure of their secret.
    await storage.transaction((trx) => ensureSecret(trx, clock, reach));
    row = await read();
  }
  if (row === undefined) throw new Error('The secret that was just made is gone.');
  const overlaps = row.previous_until !== null && clock.now() < row.previous_until;
  return { current: row.secret, previous: overlaps ? row.previous_secret : null };
}
