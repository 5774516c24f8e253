import type { Readable } from 'node:stream';
import type { StoragePart } from '../storage.ts';
import type { BlobKey } from './key.ts';

export interface BlobInfo {
  readonly bytes: number;
  readonly modifiedAt: number;
}

export interface PutResult {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface PutOptions {
  /** More than this many bytes: nothing is stored and `BlobTooLargeError` is thrown. */
  readonly maxBytes?: number;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /**
   * The blob counts against this owner's quota. `bytes` is the expected length, and more is not stored. The
   * deployment's own blobs have null and count against none.
   */
  readonly payer: {
    readonly orgId: string;
    readonly environment: 'live' | 'sandbox';
    readonly bytes?: number | undefined;
  } | null;
}

/** Both ends count: bytes `first` to `last`. */
export interface ByteRange {
  readonly first: number;
  readonly last?: number;
}

export interface BlobBody extends BlobInfo {
  /** The range's bytes, or all; `bytes` is always the whole blob's size. */
  readonly stream: Readable;
}

/** Blobs, in a folder or an S3-compatible store. A blob appears whole or not at all; putting it again
 * replaces it. All calls work in constant memory. */
export interface Blobs {
  put(key: BlobKey, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<PutResult>;
  /** Returns null where no such blob exists. */
  get(key: BlobKey, range?: ByteRange): Promise<BlobBody | null>;
  stat(key: BlobKey): Promise<BlobInfo | null>;
  /** Deleting what is not there is no error. */
  delete(key: BlobKey): Promise<void>;
  /** Every blob of one owner, and what was left of puts that never ended. */
  deleteOwner(area: string, owner: string): Promise<void>;
  list(area: string, owner: string): Promise<readonly (BlobInfo & { readonly name: string })[]>;
  /** All owners that have a blob in the area: for sweeps that look for what nothing refers to. */
  owners(area: string): AsyncIterable<string>;
  /** Removes what a put that never ended has left. */
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
