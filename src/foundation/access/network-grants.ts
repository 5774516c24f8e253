import type { Transaction } from 'kysely';
import { newId } from '../platform/ids.ts';
import type { NetworkGrantRow } from '../storage/tables/access.ts';
import type { Tables } from '../storage/tables/index.ts';
import { isOwnMachine, sourceNetwork } from './networks.ts';
import { networkCapReached } from './refusals.ts';

const WINDOW_MS = 24 * 3_600_000;

/** Limits the accounts, minted sandbox keys and reset links of a source network in a rolling 24 hours. */
const CAPS: Readonly<Record<NetworkGrantRow['kind'], number>> = {
  signup: 5,
  sandbox_key: 2,
  password_reset: 10,
};

/** Throws when the network has had its share. The count is in the database: it outlives a restart, all nodes share
 * it, and the transaction that grants makes sure that two at once don't both get the last one. */
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
