/** Evicts cached speech on every node when a voice is deleted or a person's data is erased. */
import { setTimeout } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Storage, Tables } from '../../foundation/storage/index.ts';
import { type Engine, EngineError, evictSpeechCacheJob } from '../../media/engine/index.ts';

const TOPIC = 'kept-sounds';
const RETRY_MS = 500;

type CacheNotifications = Pick<Storage, 'notify' | 'listen'>;
type CacheEngine = Pick<Engine, 'submit' | 'kinds'>;

/**
 * The owner partitions the cache. It is undefined for sandbox keys, which would evict the entries of paying
 * customers.
 */
export const speechCacheOwner = ({ org, project, environment }: TenantScope): string | undefined =>
  environment === 'live' ? `${org} ${project} ${environment}` : undefined;

/** Evicts on every node; with a `transaction`, after its commit. */
export async function evictSpeechCache(
  storage: CacheNotifications,
  scope: TenantScope,
  transaction?: Transaction<Tables>,
): Promise<void> {
  const owner = speechCacheOwner(scope);
  if (owner !== undefined) await storage.notify(TOPIC, owner, transaction);
}

/** The cache has no entries per person, so an erasure evicts the whole tenant scope. */
export const speechCacheErasure =
  (storage: CacheNotifications) =>
  async (scope: TenantScope): Promise<Readonly<Record<string, number>>> => {
    await evictSpeechCache(storage, scope);
    return {};
  };

/** Evicts on the notifications of any node. After a gap in the notifications it evicts all entries. */
export function speechCacheEviction(
  engine: CacheEngine,
  storage: CacheNotifications,
  onError: (error: unknown) => void,
): void {
  const forget = (owner?: string) => void evictCached(engine, owner).catch(onError);
  storage.listen(TOPIC, { onMessage: (owner) => forget(owner), onGap: () => forget() });
}

/** Lanes may speak before the eviction job is ready, so only a failed one proves that nothing was cached. */
const isMute = (engine: CacheEngine): boolean =>
  engine.kinds().some(({ name, readiness }) => name === evictSpeechCacheJob.name && readiness === 'failed');

async function evictCached(engine: CacheEngine, owner?: string): Promise<void> {
  try {
    await engine.submit(evictSpeechCacheJob, { owner }).done;
  } catch (error) {
    const status = error instanceof ApiError && error.cause instanceof EngineError ? error.cause.status : '';
    // A closed engine has no cache, and neither has one that cannot speak.
    if (status === 'closed' || (status === 'not_ready' && isMute(engine))) return;
    if (status !== 'capacity' && status !== 'not_ready') throw error;
    await setTimeout(RETRY_MS, undefined, { ref: false });
    await evictCached(engine, owner);
  }
}
