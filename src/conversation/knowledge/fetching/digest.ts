import { webcrypto } from 'node:crypto';

/** Of what may be 50 MB: a thread of the pool reads it. */
export const sha256 = async (bytes: Uint8Array): Promise<string> =>
  Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
