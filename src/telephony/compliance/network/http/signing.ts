import { createHash, createHmac } from 'node:crypto';

/** The signature covers the time, the method, the address and the digest of the body. */
export interface Signed {
  readonly method: string;
  /** With its query, as it stands in the request's first line. */
  readonly path: string;
  /** SHA-256 of the body, in hex; of no body, that of no bytes. */
  readonly sha256: string;
  readonly unixSeconds: number;
}

export const digestOf = (body: string): string => createHash('sha256').update(body).digest('hex');

/** `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<METHOD> <path>.<digest>`, keyed by the secret's characters. */
export function signatureOf(secret: string, { method, path, sha256, unixSeconds }: Signed): string {
  const text = `${unixSeconds}.${method} ${path}.${sha256}`;
  return `t=${unixSeconds},v1=${createHmac('sha256', secret).update(text).digest('hex')}`;
}
