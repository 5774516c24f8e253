import { randomBytes } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';

/** A secret that every node of the deployment shares, made when the first of them starts. */
export async function deploymentSecret(storage: Storage, clock: Clock, name: string): Promise<Buffer> {
  await storage.db
    .insertInto('deployment_secrets')
    .values({ name, value: randomBytes(32).toString('hex'), created_at: clock.now() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { value } = await storage.db
    .selectFrom('deployment_secrets')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return Buffer.from(value, 'hex');
}
