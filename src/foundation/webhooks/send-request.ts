import type { GateRequest, GateResponse } from '../platform/url-gate/index.ts';
import { GateError } from '../platform/url-gate/index.ts';
import type { DeliveryResult, OutboundEvent } from './contract.ts';
import type { SigningSecrets } from './secrets.ts';
import { standardHeaders, webhookSignature } from './signature.ts';

export const ACCEPT_WITHIN_MS = 10_000;
/** The deliverer uses only the answer's status. It reads a short body so that the connection can be reused. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface OutboundFetch {
  fetch(url: string, request: GateRequest): Promise<GateResponse>;
}

export interface OutboundRequest {
  readonly url: string;
  readonly method?: 'POST' | 'PUT' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const signedRequest = (url: string, parcel: OutboundEvent): OutboundRequest => ({
  url,
  headers: {
    'content-type': 'application/json',
    'x-svc-event-id': parcel.eventId,
    ...(parcel.idempotencyKey !== null ? { 'idempotency-key': parcel.idempotencyKey } : {}),
    ...signatureHeaders(parcel.secrets, parcel.body, parcel.now),
    ...standardHeaders([parcel.secrets.current, parcel.secrets.previous ?? []].flat(), {
      id: parcel.eventId,
      body: parcel.body,
      unixSeconds: Math.floor(parcel.now / 1000),
    }),
  },
  body: parcel.body,
});

export function signatureHeaders(
  { current, previous }: SigningSecrets,
  body: string,
  now: number,
): Record<string, string> {
  const seconds = Math.floor(now / 1000);
  return {
    'x-svc-signature': webhookSignature(current, body, seconds),
    ...(previous ? { 'x-svc-signature-previous': webhookSignature(previous, body, seconds) } : {}),
  };
}

/**
 * Makes one attempt. Only a 2xx status is acceptance; a redirect is a failure, because the signature names no
 * receiver.
 */
export async function sendRequest(
  gate: OutboundFetch,
  outgoing: OutboundRequest,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  let status: number | null = null;
  try {
    const response = await gate.fetch(outgoing.url, {
      method: outgoing.method ?? 'POST',
      headers: { 'user-agent': 'Trunkline-Webhooks/1', ...outgoing.headers },
      body: outgoing.body,
      maxBytes: MAX_ANSWER_BYTES,
      statusOnly: true,
      timeoutMs: ACCEPT_WITHIN_MS,
      signal,
    });
    status = response.status;
    response.body.on('error', () => {});
    response.body.resume();
  } catch (error) {
    if (signal.aborted) throw error;
    if (!(error instanceof GateError)) throw error;
    return { status, error: error.message };
  }
  const accepted = status >= 200 && status < 300;
  return { status, error: accepted ? null : `The receiver responded with status ${status}.` };
}
