import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Environment, TenantScope } from '../../tenancy/index.ts';
import type { Storage, StoragePart } from '../storage.ts';
import {
  type BlobBody,
  type BlobInfo,
  type Blobs,
  BlobTooLargeError,
  type ByteRange,
  type ByteSource,
  type PutOptions,
  type PutResult,
} from './blobs.ts';
import type { BlobKey } from './key.ts';

/** Live and sandbox keys have separate quotas. */
export interface FileOwner {
  readonly orgId: string;
  readonly environment: Environment;
}

export interface QuotaBlobsOptions {
  readonly blobs: Blobs;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly quota: (owner: FileOwner) => Promise<number | null>;
}

type Payer = NonNullable<PutOptions['payer']>;

/** A put that is unfinished after this time has ended with its process. */
const ABANDONED_MS = 6 * 3_600_000;

const exceeded = (): ApiError =>
  new ApiError(
    'storage_quota_exceeded',
    'The organization has reached the storage quota of its plan, which GET /v1/me returns. Delete files, or shorten their retention.',
  );

class QuotaReachedMeanwhile extends Error {}

export const payerOf = ({ org, environment }: TenantScope, bytes?: number): Payer => ({
  orgId: org,
  environment,
  bytes,
});

/**
 * Counts blobs with a `payer` against its quota. A put of known length is reserved before its first byte; another
 * counts once it is whole. The bytes count until the blob is deleted.
 */
export class QuotaBlobs implements Blobs {
  readonly #options: QuotaBlobsOptions;

  constructor(options: QuotaBlobsOptions) {
    this.#options = options;
  }

  async put(key: BlobKey, source: ByteSource, options: PutOptions): Promise<PutResult> {
    const { blobs } = this.#options;
    const { payer } = options;
    if (payer === null) return await blobs.put(key, source, options);
    const maxBytes = await this.#reserve(key, payer, options.maxBytes ?? Number.MAX_SAFE_INTEGER);
    try {
      const result = await blobs.put(key, source, { ...options, maxBytes });
      await this.#settle(key, result.bytes, payer);
      return result;
    } catch (error) {
      const left = error instanceof QuotaReachedMeanwhile ? await this.#drop(key) : await blobs.stat(key);
      await (left === null ? this.#free(key) : this.#settle(key, left.bytes));
      const isOverQuota = error instanceof BlobTooLargeError && payer.bytes === undefined;
      if (isOverQuota && maxBytes < (options.maxBytes ?? Number.MAX_SAFE_INTEGER)) throw exceeded();
      throw error instanceof QuotaReachedMeanwhile ? exceeded() : error;
    }
  }

  get = (key: BlobKey, range?: ByteRange): Promise<BlobBody | null> => this.#options.blobs.get(key, range);
  stat = (key: BlobKey): Promise<BlobInfo | null> => this.#options.blobs.stat(key);
  list = (area: string, owner: string) => this.#options.blobs.list(area, owner);
  owners = (area: string): AsyncIterable<string> => this.#options.blobs.owners(area);
  part = (): Promise<StoragePart> => this.#options.blobs.part();
  close = (): Promise<void> => this.#options.blobs.close();

  async delete(key: BlobKey): Promise<void> {
    await this.#options.blobs.delete(key);
    await this.#free(key);
  }

  async deleteOwner(area: string, owner: string): Promise<void> {
    await this.#options.blobs.deleteOwner(area, owner);
    const { db } = this.#options.storage;
    await db.deleteFrom('stored_files').where('area', '=', area).where('owner', '=', owner).execute();
  }

  async sweep(): Promise<void> {
    await this.#options.blobs.sweep();
    const { storage, clock } = this.#options;
    await storage.db
      .deleteFrom('stored_files')
      .where('stored_at', 'is', null)
      .where('reserved_at', '<', clock.now() - ABANDONED_MS)
      .execute();
  }

  async used({ orgId, environment }: FileOwner): Promise<number> {
    return await usedIn(this.#options.storage.db, orgId, environment);
  }

  async #reserve(key: BlobKey, payer: Payer, most: number): Promise<number> {
    const { storage, clock } = this.#options;
    const quota = await this.#options.quota(payer);
    const { area, owner: holder, name } = key;
    const now = clock.now();
    const of = { org_id: payer.orgId, environment: payer.environment };
    return await storage.transaction(async (trx) => {
      await trx
        .deleteFrom('stored_files')
        .where('area', '=', area)
        .where('owner', '=', holder)
        .where('name', '=', name)
        .execute();
      const used = await usedIn(trx, payer.orgId, payer.environment);
      const available = quota === null ? most : quota - used;
      const bytes = Math.min(most, payer.bytes ?? 0);
      if (bytes > available || available <= 0) throw exceeded();
      const row = { area, owner: holder, name, ...of, bytes, reserved_at: now, stored_at: null };
      await trx.insertInto('stored_files').values(row).execute();
      return Math.min(most, payer.bytes ?? available);
    });
  }

  /** A blob of unknown length must still fit beside those that were stored meanwhile. */
  async #settle({ area, owner, name }: BlobKey, bytes: number, payer: Payer | null = null): Promise<void> {
    const { storage, clock } = this.#options;
    const quota = payer === null || payer.bytes !== undefined ? null : await this.#options.quota(payer);
    await storage.transaction(async (trx) => {
      await trx
        .updateTable('stored_files')
        .set({ bytes, stored_at: clock.now() })
        .where('area', '=', area)
        .where('owner', '=', owner)
        .where('name', '=', name)
        .execute();
      if (quota !== null && payer && (await usedIn(trx, payer.orgId, payer.environment)) > quota)
        throw new QuotaReachedMeanwhile();
    });
  }

  async #drop(key: BlobKey): Promise<null> {
    await this.#options.blobs.delete(key);
    return null;
  }

  async #free({ area, owner, name }: BlobKey): Promise<void> {
    await this.#options.storage.db
      .deleteFrom('stored_files')
      .where('area', '=', area)
      .where('owner', '=', owner)
      .where('name', '=', name)
      .execute();
  }
}

async function usedIn(db: Storage['db'], orgId: string, environment: Environment): Promise<number> {
  const { bytes } = await db
    .selectFrom('stored_files')
    .select((eb) => eb.fn.sum<number | null>('bytes').as('bytes'))
    .where('org_id', '=', orgId)
    .where('environment', '=', environment)
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}
