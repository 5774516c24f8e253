import { webcrypto } from 'node:crypto';

/** A thread of the pool hashes the bytes, which may be 50 MB. */
export const sha256 = async (bytes: Uint8Array): Promise<string> =>
  Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
