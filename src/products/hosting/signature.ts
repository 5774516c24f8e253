import { createHmac, timingSafeEqual } from 'node:crypto';

/** Which hash it is, by how many hexadecimal digits it has. */
const HASHES: Readonly<Record<number, string>> = { 40: 'sha1', 64: 'sha256' };

/** Whether the partner signed exactly these bytes: lower-case hex of their HMAC. */
export function isSigned(bytes: Uint8Array, signature: string, secret: string): boolean {
  const hash = HASHES[signature.length];
  if (hash === undefined || !/^[0-9a-f]+$/.test(signature)) return false;
  const wanted = createHmac(hash, secret).update(bytes).digest();
  return timingSafeEqual(wanted, Buffer.from(signature, 'hex'));
}
