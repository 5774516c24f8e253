import { createHmac, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from '../platform/ids.ts';

/**
 * A credential consists of a prefix for its kind, the id of its record, a random secret and a checksum keyed with the
 * deployment's secret. The checksum lets the server refuse invalid text without a database query.
 */
export type CredentialKind = 'live_key' | 'sandbox_key' | 'browser_token' | 'console_session';

const PREFIXES: Readonly<Record<CredentialKind, string>> = {
  live_key: 'svc_live_',
  sandbox_key: 'svc_test_',
  browser_token: 'svc_tok_',
  console_session: 'svc_ses_',
};

const ID_LENGTH = 20;
/** The secret has 190 bits, so a single fast hash suffices. */
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 11;
const BODY_LENGTH = ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH;
export const MAX_CREDENTIAL_LENGTH = 512;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^(svc_(?:live|test|tok|ses)_)([0-9A-Za-z]{63})$/;
const KINDS = new Map(Object.entries(PREFIXES).map(([kind, prefix]) => [prefix, kind as CredentialKind]));

export interface Credential {
  readonly kind: CredentialKind;
  /** These are the 20 characters after the record's own prefix (`key_`, `tok_`, `sess_`). */
  readonly id: string;
  /** The database holds this hash in hex and never the text itself. */
  readonly hash: string;
}

export interface IssuedCredential extends Credential {
  readonly text: string;
}

function digest(deploymentSecret: Buffer, prefix: string, idAndSecret: string): Buffer {
  return createHmac('sha512', deploymentSecret).update(prefix).update(idAndSecret).digest();
}

function checksumOf(digested: Buffer): string {
  let text = '';
  for (const byte of digested.subarray(0, CHECKSUM_LENGTH)) text += ALPHABET[byte % 62];
  return text;
}

const hashOf = (digested: Buffer): string => digested.subarray(32).toString('hex');

export function issueCredential(
  deploymentSecret: Buffer,
  kind: CredentialKind,
  id = randomBase62(ID_LENGTH),
  secret = randomBase62(SECRET_LENGTH),
): IssuedCredential {
  const prefix = PREFIXES[kind];
  const digested = digest(deploymentSecret, prefix, id + secret);
  return { kind, id, hash: hashOf(digested), text: `${prefix}${id}${secret}${checksumOf(digested)}` };
}

/**
 * Derives the next credential from `text` and the deployment's secret, so that two concurrent rotations agree.
 * Neither of the two inputs suffices alone.
 */
export function rotatedCredential(
  deploymentSecret: Buffer,
  text: string,
  credential: Credential,
): IssuedCredential {
  const bytes = createHmac('sha512', deploymentSecret).update('successor').update(text).digest();
  let secret = '';
  for (const byte of bytes.subarray(0, SECRET_LENGTH)) secret += ALPHABET[byte % 62];
  return issueCredential(deploymentSecret, credential.kind, credential.id, secret);
}

/** Returns null for text that this deployment did not issue. */
export function readCredential(deploymentSecret: Buffer, text: string): Credential | null {
  if (text.length > MAX_CREDENTIAL_LENGTH) return null;
  const match = FORM.exec(text);
  if (match === null) return null;
  const prefix = match[1]!;
  const body = match[2]!;
  const digested = digest(deploymentSecret, prefix, body.slice(0, BODY_LENGTH - CHECKSUM_LENGTH));
  const expected = Buffer.from(checksumOf(digested), 'latin1');
  const presented = Buffer.from(body.slice(-CHECKSUM_LENGTH), 'latin1');
  if (!timingSafeEqual(expected, presented)) return null;
  return { kind: KINDS.get(prefix)!, id: body.slice(0, ID_LENGTH), hash: hashOf(digested) };
}

/** Compares two hex hashes in constant time. Hashes of different length are not equal. */
export function hashesMatch(one: string, other: string): boolean {
  const a = Buffer.from(one, 'latin1');
  const b = Buffer.from(other, 'latin1');
  return a.length === b.length && timingSafeEqual(a, b);
}

export const hintOf = (text: string): string => `${text.slice(0, 13)}…`;
