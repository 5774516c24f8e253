import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { type BlobKey, checkKey } from './key.ts';

export interface SignedRead {
  readonly key: BlobKey;
  /** What the answer says the bytes are. */
  readonly contentType: string;
  readonly expiresAt: number;
}

/** Links that open one blob until a moment, without a key. The server itself serves them whatever store holds the
 * bytes, so that a store in a private network stays private and both stores have the same links. */
export class ReadLinks {
  readonly #secret: Buffer;
  readonly #clock: Clock;

  /** `secret`: at least 32 random bytes, the same on every node. */
  constructor(secret: Buffer, clock: Clock) {
    if (secret.length < 32) throw new RangeError('The secret of signed links must have at least 32 bytes.');
    this.#secret = secret;
    this.#clock = clock;
  }

  /** The path and query to put after the base URL. */
  path(key: BlobKey, contentType: string, ttlMs: number): string {
    checkKey(key);
    const claim = JSON.stringify([key.area, key.owner, key.name, contentType, this.#clock.now() + ttlMs]);
    const token = Buffer.from(claim).toString('base64url');
    return `/v1/files/${token}.${this.#sign(token).toString('base64url')}`;
  }

  /** Null: forged, damaged or out of date. */
  open(text: string): SignedRead | null {
    const [token, signature, ...rest] = text.split('.');
    if (!token || !signature || rest.length > 0) return null;
    const given = Buffer.from(signature, 'base64url');
    const expected = this.#sign(token);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const [area, owner, name, contentType, expiresAt] = JSON.parse(
      Buffer.from(token, 'base64url').toString(),
    ) as [string, string, string, string, number];
    if (expiresAt <= this.#clock.now()) return null;
    return { key: { area, owner, name }, contentType, expiresAt };
  }

  #sign(token: string): Buffer {
    return createHmac('sha256', this.#secret).update(`read:${token}`).digest();
  }
}
