import type { Readable } from 'node:stream';
import type { StoragePart } from '../storage.ts';
import type { BlobKey } from './key.ts';

export interface BlobInfo {
  readonly bytes: number;
  readonly modifiedAt: number;
}

export interface PutResult {
  readonly bytes: number;
  readonly sha256: string;
}

export interface PutOptions {
  readonly maxBytes?: number;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /**
   * The blob counts against this owner's quota. `bytes` is the expected length, and more is not stored. The
   * deployment's own blobs have null and count against no quota.
   */
  readonly payer: {
    readonly orgId: string;
    readonly environment: 'live' | 'sandbox';
    readonly bytes?: number | undefined;
  } | null;
}

export interface ByteRange {
  readonly first: number;
  readonly last?: number;
}

export interface BlobBody extends BlobInfo {
  /** The stream holds the range; `bytes` is always the whole blob's size. */
  readonly stream: Readable;
}

/** The chunks of a blob. Bytes that are in memory already are a list of one chunk. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Stores blobs in a folder or an S3-compatible store. A blob appears whole or not at all; a second put replaces it.
 * All calls work in constant memory.
 */
export interface Blobs {
  put(key: BlobKey, source: ByteSource, options: PutOptions): Promise<PutResult>;
  get(key: BlobKey, range?: ByteRange): Promise<BlobBody | null>;
  stat(key: BlobKey): Promise<BlobInfo | null>;
  delete(key: BlobKey): Promise<void>;
  deleteOwner(area: string, owner: string): Promise<void>;
  list(area: string, owner: string): Promise<readonly (BlobInfo & { readonly name: string })[]>;
  owners(area: string): AsyncIterable<string>;
  sweep(): Promise<void>;
  part(): Promise<StoragePart>;
  close(): Promise<void>;
}

export class BlobTooLargeError extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`The blob is larger than ${maxBytes} bytes.`);
    this.name = 'BlobTooLargeError';
    this.maxBytes = maxBytes;
  }
}
