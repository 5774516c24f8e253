export type { Listener } from './channel.ts';
export { type Dialect, type Migration, MigrationError } from './migrate.ts';
export {
  openStorage,
  type Storage,
  type StorageOptions,
  type StoragePart,
  type TransactionOptions,
} from './storage.ts';
export type { Tables } from './tables/index.ts';
