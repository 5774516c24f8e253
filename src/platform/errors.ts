/** Every error code of the product, in one table. The REST edge, the sockets, the OpenAPI description and the
 * pages under /problems/{code} all read it; a test fails when they differ. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'billing_error'
  | 'rate_limit_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'server_error';

export interface ErrorEntry {
  readonly status: number;
  readonly type: ErrorType;
  readonly title: string;
  /** Whether the same request may succeed later without being changed. */
  readonly retry: boolean;
  /** What the page at the code's `type` URL says. */
  readonly explanation: string;
}

const entry = (
  status: number,
  type: ErrorType,
  title: string,
  retry: boolean,
  explanation: string,
): ErrorEntry => ({ status, type, title, retry, explanation });

export const ERRORS = {
  invalid_request: entry(
    400,
    'invalid_request_error',
    'Invalid request',
    false,
    'A field of the request is missing, unknown or out of range; `param` names it.',
  ),
  not_found: entry(
    404,
    'not_found_error',
    'Not found',
    false,
    'There is no such route, or no such resource in your organization.',
  ),
  method_not_allowed: entry(
    405,
    'invalid_request_error',
    'Method not allowed',
    false,
    'The path exists, but not with this method; the Allow header lists the ones it takes.',
  ),
  payload_too_large: entry(
    413,
    'invalid_request_error',
    'Payload too large',
    false,
    'The body, or the audio in it, is larger or longer than your plan allows.',
  ),
  unsupported_media_type: entry(
    415,
    'invalid_request_error',
    'Unsupported media type',
    false,
    'The Content-Type of the request is not one that this route reads.',
  ),
  internal_error: entry(
    500,
    'server_error',
    'Internal error',
    true,
    'The server failed. Quote the request id when you report it.',
  ),
  unavailable: entry(
    503,
    'server_error',
    'Unavailable',
    true,
    'A part that this request needs is not ready; Retry-After says when to try again.',
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

export interface ApiErrorOptions {
  /** The field, query parameter or scope at fault. */
  param?: string;
  /** Seconds; sent as Retry-After. */
  retryAfter?: number;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** The one error that reaches a customer. `message` is written for them: no secrets, no internals. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retryAfter: number | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.param = options.param ?? null;
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get type(): ErrorType {
    return ERRORS[this.code].type;
  }
}
