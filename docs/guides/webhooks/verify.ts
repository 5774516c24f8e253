import { createHmac, timingSafeEqual } from 'node:crypto';

/** Why a request is not to be believed. */
export class WebhookVerificationError extends Error {}

export interface WebhookRequest {
  /** The body exactly as it arrived, before any parsing. */
  readonly body: Uint8Array;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface WebhookEvent {
  /** Deliveries of one event all carry this id: accept each id once. */
  readonly id: string;
  readonly type: string;
  /** Unix milliseconds. */
  readonly created_at: number;
  readonly data: unknown;
}

const SIGNATURE = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;

function matches(header: string | undefined, secret: string, body: Uint8Array, now: number, tolerance: number): boolean {
  const found = header === undefined ? null : SIGNATURE.exec(header);
  if (!found) return false;
  const [, seconds, digest] = found as unknown as [string, string, string];
  if (Math.abs(now - Number(seconds)) > tolerance) return false;
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(digest, 'hex'));
}

/** Checks a delivery and gives back its event. `secret` is the one you keep: while you change over after a rotation
 * either header may match it, so no delivery is lost. `now` and `tolerance` are seconds. Answer 2xx only once the
 * event is stored. */
export function verifyWebhook(
  request: WebhookRequest,
  secret: string,
  now: number = Date.now() / 1000,
  tolerance = 300,
): WebhookEvent {
  const { body, headers } = request;
  const signed = ['x-svc-signature', 'x-svc-signature-previous'].some((name) =>
    matches(headers[name], secret, body, now, tolerance),
  );
  if (!signed) throw new WebhookVerificationError('No signature of this secret matches, or it is too old.');
  const event = JSON.parse(Buffer.from(body).toString('utf8')) as WebhookEvent;
  // Headers are not signed: the id to believe is the one in the body, and the two must agree.
  if (event.id !== headers['x-svc-event-id']) {
    throw new WebhookVerificationError('X-Svc-Event-Id differs from the id that was signed.');
  }
  return event;
}
