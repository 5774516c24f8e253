export {
  type BlobBody,
  type BlobInfo,
  type Blobs,
  BlobTooLargeError,
  type ByteRange,
  type PutOptions,
  type PutResult,
} from './blobs/blobs.ts';
export type { BlobKey } from './blobs/key.ts';
export { type BlobsOptions, openBlobs } from './blobs/open.ts';
export { type FileOwner, payerOf, QuotaBlobs } from './blobs/quota-blobs.ts';
export { isOwnerGone, SEEN_BY_LEASE } from './call-ownership.ts';
export { hasDatabase } from './existing-database.ts';
export { type Dialect, type Migration, MigrationError } from './migrate.ts';
export { adoptingStatements } from './migrations/0300-calls.ts';
export type { ChannelListener } from './notification-channel.ts';
export { newestFirst } from './pages.ts';
export { makePrivate, readableByOthers } from './private-folder.ts';
export { openSharedClock, type SharedClock } from './shared-clock.ts';
export { copyDatabase, DATABASE_FILE, isOpenElsewhere, unknownMigrations } from './snapshot.ts';
export {
  openStorage,
  type Storage,
  type StorageOptions,
  type StoragePart,
  type TransactionOptions,
} from './storage.ts';
export type { EveryTable, Tables } from './tables/index.ts';
export { acrossTenants, type TenantQueries, withinTenant } from './tenant-isolation.ts';
