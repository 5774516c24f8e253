import type { Error as ErrorBody } from './rest/types.gen.js';

/** The stable codes of the contract: branch on these, never on the message. */
export type ErrorCode = ErrorBody['error']['code'];

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly message: string;
  readonly param: string | null;
  readonly requestId: string | null;
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | null;
}

/** What the server refused, or how it failed. */
export class TrunklineError extends Error {
  override readonly name = 'TrunklineError';
  /** 0 of an error that came as a frame of a socket. */
  readonly status: number;
  readonly code: ErrorCode | (string & {});
  readonly type: string;
  /** The field, query parameter or scope at fault. */
  readonly param: string | null;
  /** Quote it when you report something. */
  readonly requestId: string | null;
  readonly retryAfter: number | null;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(`${refusal.code}: ${refusal.message}`, options);
    this.status = refusal.status;
    this.code = refusal.code;
    this.type = refusal.type;
    this.param = refusal.param;
    this.requestId = refusal.requestId;
    this.retryAfter = refusal.retryAfter;
  }

  /** Whether it is one of these: `error.is('credit_exhausted', 'daily_cap_exceeded')`. */
  is(...codes: ErrorCode[]): boolean {
    return (codes as string[]).includes(this.code);
  }
}

/** The server could not be reached, or the connection broke. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** A socket closed with something else than 1000. */
export class SocketClosedError extends Error {
  override readonly name = 'SocketClosedError';
  readonly closeCode: number;

  constructor(closeCode: number, reason: string) {
    super(`the socket was closed with ${closeCode}${reason ? `: ${reason}` : ''}`);
    this.closeCode = closeCode;
  }
}

interface Envelope {
  readonly error?: { code?: string; type?: string; message?: string; param?: string | null };
  readonly detail?: string;
}

export const secondsOf = (retryAfter: string | null): number | null =>
  retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;

/** Of an answer's body, whichever envelope it came in. */
export function errorOf(body: unknown, status: number, headers: Headers): TrunklineError {
  const { error, detail } = (typeof body === 'object' && body !== null ? body : {}) as Envelope;
  return new TrunklineError({
    status,
    code: error?.code ?? 'unknown',
    type: error?.type ?? 'unknown',
    message: detail ?? error?.message ?? `the server answered ${status}`,
    param: error?.param ?? null,
    requestId: headers.get('x-request-id'),
    retryAfter: secondsOf(headers.get('retry-after')),
  });
}

/** Of the `error` member of a socket's frame. */
export const frameError = (error: {
  code: string;
  type: string;
  message: string;
  param: string | null;
}): TrunklineError => new TrunklineError({ ...error, status: 0, requestId: null, retryAfter: null });
