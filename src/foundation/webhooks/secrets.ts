import type { TenantScope } from '../access/contract.ts';
import type { Sealer } from '../access/index.ts';
import type { Trx } from '../jobs/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Storage, withinTenant } from '../storage/index.ts';
import { newSigningSecret } from './signature.ts';

export const OVERLAP_MS = 24 * 3600 * 1000;

export interface MintedSecret {
  readonly secret: string;
  readonly createdAt: number;
}

const sealedFor = ({ org, project, environment }: TenantScope): string => `${org} ${project} ${environment}`;

export interface SigningSecretOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly sealer: Sealer;
}

const PLACE = ['org_id', 'project_id', 'environment'] as const;

/** Creates or replaces the signing secret. The API returns it only this once. */
export async function mintSecret(
  { storage, clock, sealer }: SigningSecretOptions,
  scope: TenantScope,
  within: (trx: Trx) => Promise<void> = async () => {},
): Promise<MintedSecret> {
  const shown = newSigningSecret();
  const secret = sealer.seal(shown, sealedFor(scope));
  const now = clock.now();
  await storage.transaction(async (trx) => {
    const mine = withinTenant(trx, scope);
    const current = await mine.selectFrom('webhook_secrets').select('secret').executeTakeFirst();
    const previous = current
      ? { previous_secret: current.secret, previous_until: now + OVERLAP_MS }
      : { previous_secret: null, previous_until: null };
    await mine
      .insertInto('webhook_secrets', { secret, created_at: now, ...previous })
      .onConflict((conflict) => conflict.columns(PLACE).doUpdateSet({ secret, created_at: now, ...previous }))
      .execute();
    await within(trx);
  });
  return { secret: shown, createdAt: now };
}

/**
 * No event is sent unsigned: a scope without a secret gets one that the API never showed. After a rotation, the
 * previous secret's signature is sent too.
 */
export async function ensureSecret(
  trx: Trx,
  { clock, sealer }: Pick<SigningSecretOptions, 'clock' | 'sealer'>,
  scope: TenantScope,
): Promise<void> {
  const secret = sealer.seal(newSigningSecret(), sealedFor(scope));
  await withinTenant(trx, scope)
    .insertInto('webhook_secrets', { secret, created_at: clock.now() })
    .onConflict((conflict) => conflict.columns(PLACE).doNothing())
    .execute();
}

export interface SigningSecrets {
  readonly current: string;
  readonly previous: string | null;
}

export async function signingSecrets(
  options: SigningSecretOptions,
  scope: TenantScope,
): Promise<SigningSecrets> {
  const { storage, clock, sealer } = options;
  const read = () =>
    withinTenant(storage.db, scope).selectFrom('webhook_secrets').selectAll().executeTakeFirst();
  let row = await read();
  if (row === undefined) {
    await storage.transaction((trx) => ensureSecret(trx, options, scope));
    row = await read();
  }
  if (row === undefined) throw new Error('The secret that was just created is missing.');
  const overlaps = row.previous_until !== null && clock.now() < row.previous_until;
  const open = (sealed: string) => sealer.open(sealed, sealedFor(scope));
  return {
    current: open(row.secret),
    previous: overlaps && row.previous_secret !== null ? open(row.previous_secret) : null,
  };
}
