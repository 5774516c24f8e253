import type { Transaction } from 'kysely';
import { newId } from '../platform/ids.ts';
import type { NetworkGrantRow } from '../storage/tables/access.ts';
import type { Tables } from '../storage/tables/index.ts';
import { isOwnMachine, sourceNetwork } from './networks.ts';
import { networkCapReached } from './refusals.ts';

const WINDOW_MS = 24 * 3_600_000;

const CAPS: Readonly<Record<NetworkGrantRow['kind'], number>> = { signup: 5, sandbox_key: 2 };

/**
 * Throws at the cap of the network. The count is in the database: it outlives a restart, all nodes share it, and two
 * concurrent transactions cannot both take the last grant.
 */
async function checkNetworkCap(
  transaction: Transaction<Tables>,
  kind: NetworkGrantRow['kind'],
  remoteAddress: string,
  now: number,
): Promise<void> {
  const granted = await transaction
    .selectFrom('network_grants')
    .select('at')
    .where('kind', '=', kind)
    .where('network', '=', sourceNetwork(remoteAddress))
    .where('at', '>', now - WINDOW_MS)
    .orderBy('at', 'desc')
    .limit(CAPS[kind])
    .execute();
  const oldest = granted.at(-1);
  if (granted.length < CAPS[kind] || oldest === undefined) return;
  const network = sourceNetwork(remoteAddress);
  throw networkCapReached(kind, CAPS[kind], oldest.at + WINDOW_MS - now, isOwnMachine(network));
}

export async function recordNetworkGrant(
  transaction: Transaction<Tables>,
  kind: NetworkGrantRow['kind'],
  remoteAddress: string,
  now: number,
): Promise<void> {
  await checkNetworkCap(transaction, kind, remoteAddress, now);
  await transaction
    .deleteFrom('network_grants')
    .where('at', '<=', now - WINDOW_MS)
    .execute();
  await transaction
    .insertInto('network_grants')
    .values({ id: newId('req'), kind, network: sourceNetwork(remoteAddress), at: now })
    .execute();
}
