import { createHmac, timingSafeEqual } from 'node:crypto';

/** The number of hexadecimal digits tells the hash. */
const HASHES: Readonly<Record<number, string>> = { 40: 'sha1', 64: 'sha256' };

/** Checks the partner's HMAC of exactly these bytes, in lower-case hex. */
export function isSigned(bytes: Uint8Array, signature: string, secret: string): boolean {
  const hash = HASHES[signature.length];
  if (hash === undefined || !/^[0-9a-f]+$/.test(signature)) return false;
  const wanted = createHmac(hash, secret).update(bytes).digest();
  return timingSafeEqual(wanted, Buffer.from(signature, 'hex'));
}
