/** Evicts cached speech on every node when a voice is deleted or a person's data is erased. */
import { setTimeout } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Storage, Tables } from '../../foundation/storage/index.ts';
import { type Engine, EngineError, evictSpeechCacheJob } from '../../media/engine/index.ts';

const TOPIC = 'kept-sounds';
/** An engine has so many jobs at once, and is not ready from the first moment. */
const RETRY_MS = 500;

type CacheNotifications = Pick<Storage, 'notify' | 'listen'>;
type CacheEngine = Pick<Engine, 'submit' | 'kinds'>;

/**
 * The owner partitions the cache. It is undefined for sandbox keys, which would evict the entries of paying
 * customers.
 */
export const speechCacheOwner = ({ org, project, environment }: TenantScope): string | undefined =>
  environment === 'live' ? `${org} ${project} ${environment}` : undefined;

/** Every node forgets what the agents of this tenant scope have said; `transaction`: once that is committed. */
export async function evictSpeechCache(
  storage: CacheNotifications,
  scope: TenantScope,
  transaction?: Transaction<Tables>,
): Promise<void> {
  const owner = speechCacheOwner(scope);
  if (owner !== undefined) await storage.notify(TOPIC, owner, transaction);
}

/** An agent may have said something of a person again and again: with them all of it is forgotten. */
export const speechCacheErasure =
  (storage: CacheNotifications) =>
  async (scope: TenantScope): Promise<Readonly<Record<string, number>>> => {
    await evictSpeechCache(storage, scope);
    return {};
  };

/** The engine forgets what any node says is to be forgotten; all of it, where the nodes could not be heard for a while. */
export function speechCacheEviction(
  engine: CacheEngine,
  storage: CacheNotifications,
  onError: (error: unknown) => void,
): void {
  const forget = (owner?: string) => void evictCached(engine, owner).catch(onError);
  storage.listen(TOPIC, { onMessage: (owner) => forget(owner), onGap: () => forget() });
}

/** Where it is not, lanes may speak already while what forgets is still being made ready. */
const isMute = (engine: CacheEngine): boolean =>
  engine.kinds().some(({ name, readiness }) => name === evictSpeechCacheJob.name && readiness === 'failed');

async function evictCached(engine: CacheEngine, owner?: string): Promise<void> {
  try {
    await engine.submit(evictSpeechCacheJob, owner === undefined ? {} : { owner }).done;
  } catch (error) {
    const status = error instanceof ApiError && error.cause instanceof EngineError ? error.cause.status : '';
    // An engine that has ended keeps nothing, nor one that can't speak.
    if (status === 'closed' || (status === 'not_ready' && isMute(engine))) return;
    if (status !== 'capacity' && status !== 'not_ready') throw error;
    await setTimeout(RETRY_MS, undefined, { ref: false });
    await evictCached(engine, owner);
  }
}
