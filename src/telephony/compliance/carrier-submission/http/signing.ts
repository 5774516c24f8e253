import { createHash, createHmac } from 'node:crypto';

export interface Signed {
  readonly method: string;
  /** The path includes the query, as in the request line. */
  readonly path: string;
  /** SHA-256 of the body in hex; an empty body has the digest of no bytes. */
  readonly sha256: string;
  readonly unixSeconds: number;
}

export const digestOf = (body: string): string => createHash('sha256').update(body).digest('hex');

/**
 * The signature has the form `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<METHOD> <path>.<digest>`, keyed by
 * the secret's characters.
 */
export function signatureOf(secret: string, { method, path, sha256, unixSeconds }: Signed): string {
  const text = `${unixSeconds}.${method} ${path}.${sha256}`;
  return `t=${unixSeconds},v1=${createHmac('sha256', secret).update(text).digest('hex')}`;
}
