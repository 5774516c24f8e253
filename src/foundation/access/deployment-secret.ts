import { randomBytes } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';
import type { Sealer } from './sealer.ts';

const PLAIN = /^[0-9a-f]{64}$/;
export const isPlainSecret = (value: string): boolean => PLAIN.test(value);

/** Returns a secret that all nodes of the deployment share. The first node creates it; it is sealed for its name. */
export async function deploymentSecret(
  storage: Storage,
  clock: Clock,
  name: string,
  sealer: Sealer,
): Promise<Buffer> {
  const made = sealer.seal(randomBytes(32).toString('hex'), name);
  await storage.db
    .insertInto('deployment_secrets')
    .values({ name, value: made, created_at: clock.now() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { value } = await storage.db
    .selectFrom('deployment_secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  if (!isPlainSecret(value)) return Buffer.from(sealer.open(value, name), 'hex');
  await storage.db
    .updateTable('deployment_secrets')
    .set({ value: sealer.seal(value, name) })
    .where('name', '=', name)
    .where('value', '=', value)
    .execute();
  return Buffer.from(value, 'hex');
}
