import { ApiError } from './errors.ts';
import { GateError } from './url-gate/index.ts';

/** A disk or a database refused the write or read. The request is not the cause and may be sent again. */
export type StorageFault = 'full' | 'read_only' | 'io' | 'damaged' | 'busy' | 'away';

/** The codes come from the file system, SQLite (`SQLITE_IOERR_WRITE` is an `SQLITE_IOERR`) and PostgreSQL. */
const BY_CODE: Readonly<Record<string, StorageFault>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EROFS: 'read_only',
  EIO: 'io',
  EMFILE: 'busy',
  ENFILE: 'busy',
  SQLITE_FULL: 'full',
  SQLITE_READONLY: 'read_only',
  SQLITE_IOERR: 'io',
  SQLITE_CANTOPEN: 'io',
  SQLITE_CORRUPT: 'damaged',
  SQLITE_NOTADB: 'damaged',
  SQLITE_BUSY: 'busy',
  SQLITE_LOCKED: 'busy',
  SQLITE_PROTOCOL: 'busy',
  '25006': 'read_only',
  '40001': 'busy',
  '40P01': 'busy',
  '53100': 'full',
  '53200': 'busy',
  '53300': 'busy',
  '55P03': 'busy',
  '57014': 'busy',
  '57P01': 'away',
  '57P02': 'away',
  '57P03': 'away',
  '58030': 'io',
  XX001: 'damaged',
  XX002: 'damaged',
  ECONNREFUSED: 'away',
  ECONNRESET: 'away',
  EHOSTUNREACH: 'away',
  ENOTFOUND: 'away',
  EAI_AGAIN: 'away',
  ETIMEDOUT: 'away',
};

const LOST_CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|timeout expired)/;

export class BlobStoreError extends Error {
  constructor(cause: unknown) {
    super(`The store of files: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'BlobStoreError';
  }
}

/** Returns null for other errors, including those of a customer's server that does not answer. */
export function storageFaultOf(error: unknown): StorageFault | null {
  if (!(error instanceof Error) || error instanceof ApiError || error instanceof GateError) return null;
  if (error instanceof BlobStoreError) return storageFaultOf(error.cause) ?? 'away';
  const { code, message, cause } = error as Error & { code?: unknown };
  if (typeof code === 'string') {
    const known = BY_CODE[code] ?? BY_CODE[code.split('_', 2).join('_')];
    if (known) return known;
    if (/^08[0-9A-Z]{3}$/.test(code)) return 'away';
  }
  if (LOST_CONNECTION.test(message)) return 'away';
  return storageFaultOf(cause);
}

const SAID: Readonly<Record<StorageFault, { readonly message: string; readonly retryAfter: number }>> = {
  full: { message: 'The server has no space left to store this.', retryAfter: 60 },
  read_only: { message: 'The server can store nothing now: its disk is read-only.', retryAfter: 60 },
  io: { message: 'The server can store nothing now: its disk fails.', retryAfter: 60 },
  damaged: { message: 'The server can store nothing now: its database is damaged.', retryAfter: 300 },
  busy: { message: 'The database is busy.', retryAfter: 1 },
  away: { message: 'The database does not answer now.', retryAfter: 5 },
};

const BLOB_STORE_AWAY = { message: 'The store of files does not answer now.', retryAfter: 5 };

const isOfBlobStore = (error: unknown): boolean =>
  error instanceof BlobStoreError || (error instanceof Error && isOfBlobStore(error.cause));

/** The refusal says that nothing was stored and when to retry. It is null for other errors. */
export function storageRefusal(error: unknown): ApiError | null {
  const fault = storageFaultOf(error);
  if (fault === null) return null;
  const { message, retryAfter } = isOfBlobStore(error) ? BLOB_STORE_AWAY : SAID[fault];
  return new ApiError('unavailable', message, { retryAfter, cause: error });
}
