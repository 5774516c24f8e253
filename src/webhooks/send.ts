import type { GateRequest, GateResponse } from '../platform/url-gate/index.ts';
import { GateError } from '../platform/url-gate/index.ts';
import type { SigningSecrets } from './secrets.ts';
import { signatureOf } from './signature.ts';

export const ACCEPT_WITHIN_MS = 10_000;
/** Of the answer only the status counts; a short body is read so that its connection serves again. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** How requests leave: the URL gate. */
export interface Outward {
  fetch(url: string, request: GateRequest): Promise<GateResponse>;
}

export interface Outgoing {
  readonly url: string;
  readonly eventId: string;
  readonly body: string;
  readonly idempotencyKey: string | null;
  readonly secrets: SigningSecrets;
  readonly now: number;
}

export interface Answer {
  readonly status: number | null;
  /** Null: accepted. */
  readonly error: string | null;
}

function headersOf(outgoing: Outgoing): Record<string, string> {
  const { secrets, body, now } = outgoing;
  return {
    'content-type': 'application/json',
    'user-agent': 'Trunkline-Webhooks/1',
    'x-svc-event-id': outgoing.eventId,
    ...(outgoing.idempotencyKey !== null ? { 'idempotency-key': outgoing.idempotencyKey } : {}),
    ...signatureHeaders(secrets, body, now),
  };
}

/** Both secrets sign for a while after a rotation. */
export function signatureHeaders(
  { current, previous }: SigningSecrets,
  body: string,
  now: number,
): Record<string, string> {
  const seconds = Math.floor(now / 1000);
  return {
    'x-svc-signature': signatureOf(current, body, seconds),
    ...(previous ? { 'x-svc-signature-previous': signatureOf(previous, body, seconds) } : {}),
  };
}

/** One attempt. Only a status in the 200s is acceptance; a redirect is not, since the signature names no receiver. */
export async function send(gate: Outward, outgoing: Outgoing, signal: AbortSignal): Promise<Answer> {
  let status: number | null = null;
  try {
    const response = await gate.fetch(outgoing.url, {
      method: 'POST',
      headers: headersOf(outgoing),
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
  return { status, error: accepted ? null : `The receiver answered ${status}.` };
}
