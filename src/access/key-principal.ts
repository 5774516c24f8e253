import type { Kysely } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { Principal } from './contract.ts';
import { type KeyRecord, loadKey } from './key-records.ts';

export const principalOf = (key: KeyRecord): Principal => ({
  kind: 'key',
  credentialId: key.id,
  orgId: key.orgId,
  projectId: key.projectId,
  keyId: key.id,
  userId: null,
  person: null,
  environment: key.environment,
  scopes: key.scopes,
  plan: key.plan,
  limits: key.limits,
  entitlements: key.entitlements,
  expiresAt: key.expiresAt,
  browser: null,
});

/** For work that a key began and nobody presents it for: a call that rings, or that was planned. Null: the key is dead. */
export async function principalOfKey(
  db: Kysely<Tables>,
  clock: Clock,
  id: string,
): Promise<Principal | null> {
  const key = await loadKey(db, id);
  if (key === null || key.revokedAt !== null) return null;
  return key.expiresAt !== null && key.expiresAt <= clock.now() ? null : principalOf(key);
}
