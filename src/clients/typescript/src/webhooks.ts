import type { WebhookEvent } from './rest/types.gen.js';

export type { WebhookEvent };

export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError';
}

export interface Delivery {
  /** The body as it came, byte by byte: what a parser made of it does not verify. */
  readonly body: string | Uint8Array;
  /** The header `X-Svc-Signature`. */
  readonly signature: string | null | undefined;
  /** The header `X-Svc-Signature-Previous`: after a rotation it is signed with the old secret, for a day. */
  readonly previousSignature?: string | null | undefined;
  /** The organization's signing secret, `whsec_…`. */
  readonly secret: string;
  /** The header `X-Svc-Event-Id`: the signed event must be the one that it names. */
  readonly eventId: string | null | undefined;
  /** How far the sender's clock may be off; five minutes by default. */
  readonly toleranceSeconds?: number;
  /** Unix seconds; the machine's time by default. */
  readonly now?: number;
}

const encoder = new TextEncoder();

const hexBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const SIGNATURE = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;

async function isSigned(
  signature: string | null | undefined,
  body: Uint8Array,
  delivery: Delivery,
): Promise<boolean> {
  const { toleranceSeconds = 300, now = Date.now() / 1000 } = delivery;
  const [, at, digest] = SIGNATURE.exec(signature ?? '') ?? [];
  if (at === undefined || digest === undefined || Math.abs(now - Number(at)) > toleranceSeconds) return false;
  const head = encoder.encode(`${at}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const secret = encoder.encode(delivery.secret);
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  // Web Crypto compares in constant time.
  return crypto.subtle.verify('HMAC', key, hexBytes(digest), signed);
}

/** Answers the event of a delivery that this server signed lately; throws `WebhookSignatureError` of any other. */
export async function verifyWebhook(delivery: Delivery): Promise<WebhookEvent> {
  const body = typeof delivery.body === 'string' ? encoder.encode(delivery.body) : delivery.body;
  const signed =
    (await isSigned(delivery.signature, body, delivery)) ||
    (await isSigned(delivery.previousSignature, body, delivery));
  if (!signed)
    throw new WebhookSignatureError(
      'no signature matches the body and the secret, or its timestamp is too old',
    );
  const event = JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  if (event.id !== delivery.eventId)
    throw new WebhookSignatureError('the event in the header is not the signed event');
  return event;
}
