import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Referral {
  readonly source: string;
  readonly expiresAt: number;
}

const signatureOf = (secret: Buffer, payload: string): Buffer =>
  createHmac('sha256', secret).update('referral').update(payload).digest();

export function signReferral(secret: Buffer, referral: Referral): string {
  const payload = Buffer.from(JSON.stringify(referral)).toString('base64url');
  return `${payload}.${signatureOf(secret, payload).toString('base64url')}`;
}

/** Returns null for text that is not a valid, unexpired referral token; an invalid one never blocks a signup. */
export function verifyReferral(secret: Buffer, token: string, now: number): Referral | null {
  const [payload, signature, ...rest] = token.split('.');
  if (payload === undefined || signature === undefined || rest.length > 0) return null;
  const presented = Buffer.from(signature, 'base64url');
  const expected = signatureOf(secret, payload);
  if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return null;
  try {
    const { source, expiresAt } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Referral;
    if (typeof source !== 'string' || typeof expiresAt !== 'number' || expiresAt <= now) return null;
    return { source, expiresAt };
  } catch {
    return null;
  }
}
