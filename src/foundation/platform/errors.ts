import { ACCOUNT_ERRORS } from './account-errors.ts';
import { AGENT_ERRORS } from './agent-errors.ts';
import { CASE_ERRORS } from './case-errors.ts';
import { CAST_ERRORS } from './cast-errors.ts';
import { DUB_ERRORS } from './dub-errors.ts';
import { defineError, type ErrorDefinition, type ErrorType } from './error-definition.ts';
import { HEAR_ERRORS } from './hear-errors.ts';
import { INTEGRATION_ERRORS } from './integration-errors.ts';
import { MSGAPP_ERRORS } from './msgapp-errors.ts';
import { scrubKeys } from './scrub.ts';
import { TELEPHONY_ERRORS } from './telephony-errors.ts';
import { TRACE_ERRORS } from './trace-errors.ts';

export type { ErrorDefinition, ErrorType } from './error-definition.ts';

/** Every error code of the product, for the edge, the sockets, the description and the pages under /problems/{code}. */
export const ERRORS = {
  invalid_request: defineError(
    400,
    'invalid_request_error',
    'Invalid request',
    false,
    'A field of the request is missing, unknown or out of range; `param` names it.',
  ),
  not_found: defineError(
    404,
    'not_found_error',
    'Not found',
    false,
    'There is no such route, or no such resource in your organization.',
  ),
  method_not_allowed: defineError(
    405,
    'invalid_request_error',
    'Method not allowed',
    false,
    'The path exists, but not with this method; the Allow header lists the ones it takes.',
  ),
  payload_too_large: defineError(
    413,
    'invalid_request_error',
    'Payload too large',
    false,
    'The body, or the audio in it, is larger or longer than your plan allows.',
  ),
  headers_too_large: defineError(
    431,
    'invalid_request_error',
    'Headers too large',
    false,
    'The request line and headers together are larger than the server reads.',
  ),
  unsupported_media_type: defineError(
    415,
    'invalid_request_error',
    'Unsupported media type',
    false,
    'The Content-Type of the request is not one that this route reads.',
  ),
  missing_api_key: defineError(
    401,
    'authentication_error',
    'No credential',
    false,
    'The request carries no credential. Send the key as `Authorization: Bearer` or `x-api-key`; console routes want a signed-in session.',
  ),
  invalid_api_key: defineError(
    401,
    'authentication_error',
    'Invalid credential',
    false,
    'The credential is malformed or unknown. Check that it was copied whole.',
  ),
  unauthorized: defineError(
    401,
    'authentication_error',
    'Credential no longer valid',
    false,
    'The credential was revoked or has expired, or the e-mail and password do not match. Create or rotate the key, or sign in again.',
  ),
  forbidden: defineError(
    403,
    'permission_error',
    'Forbidden',
    false,
    'The credential is valid but does not open this route; `param` names the missing scope. GET /v1/me lists the scopes of a key.',
  ),
  origin_not_allowed: defineError(
    403,
    'permission_error',
    'Origin not allowed',
    false,
    'The request comes from a web origin that the organization has not put on its allow-list, or that the token was not made for.',
  ),
  credit_exhausted: defineError(
    402,
    'billing_error',
    'Credit exhausted',
    false,
    'The organization has no prepaid credit left. Add credit, or use a sandbox key.',
  ),
  key_budget_exceeded: defineError(
    402,
    'billing_error',
    'Key budget exceeded',
    false,
    'The key has reached its own monthly budget. Raise the budget, use another key, or wait for the next UTC month.',
  ),
  insufficient_quota: defineError(
    402,
    'billing_error',
    'Quota exhausted',
    false,
    'The monthly quota of the plan is used up.',
  ),
  storage_quota_exceeded: defineError(
    402,
    'billing_error',
    'Storage quota exceeded',
    false,
    'The organization keeps as many bytes of files as its plan allows. Delete some, or shorten how long they are kept.',
  ),
  rate_limit_exceeded: defineError(
    429,
    'rate_limit_error',
    'Rate limit exceeded',
    true,
    'The key, or the network it calls from, sends more requests a second than allowed. Retry-After says when to try again.',
  ),
  concurrency_limit_exceeded: defineError(
    429,
    'rate_limit_error',
    'Too many concurrent sessions',
    true,
    'The key has as many live sessions as its plan allows. Close one, or wait for one to end.',
  ),
  daily_cap_exceeded: defineError(
    429,
    'rate_limit_error',
    'Daily cap reached',
    true,
    'The daily cap of units is used up. It resets at 00:00 UTC; Retry-After says when.',
  ),
  sandbox_limit_reached: defineError(
    429,
    'rate_limit_error',
    'Sandbox key limit reached',
    true,
    'This source network has minted its sandbox keys of the last 24 hours. Retry-After says when the oldest leaves the window.',
  ),
  version_conflict: defineError(
    409,
    'conflict_error',
    'Version conflict',
    true,
    'The resource was changed by another request at the same moment. Read it again, and send the change anew.',
  ),
  knowledge_full: defineError(
    409,
    'conflict_error',
    'Knowledge full',
    false,
    'The project holds as many knowledge bases, documents or passages as it may; the message says which. Delete some first.',
  ),
  ...AGENT_ERRORS,
  ...ACCOUNT_ERRORS,
  ...CASE_ERRORS,
  ...INTEGRATION_ERRORS,
  ...TRACE_ERRORS,
  ...MSGAPP_ERRORS,
  idempotency_conflict: defineError(
    409,
    'conflict_error',
    'Idempotency conflict',
    false,
    'The idempotency key or reference was used before with a different body. Use a new one.',
  ),
  legal_hold: defineError(
    409,
    'conflict_error',
    'Legal hold',
    false,
    'The record is under a legal hold, which keeps it from every removal. Release the hold first.',
  ),
  upgrade_required: defineError(
    426,
    'invalid_request_error',
    'Upgrade required',
    false,
    'The path is a WebSocket route: ask for an upgrade, with a valid Sec-WebSocket-Key.',
  ),
  invalid_agent_id: defineError(
    400,
    'invalid_request_error',
    'Invalid agent id',
    false,
    'The agent id or session label on a realtime URL holds control characters or is over 128 characters.',
  ),
  unsupported_voice_instruct: defineError(
    400,
    'invalid_request_error',
    'Voice takes no instruction',
    false,
    'voice_instruct works only with voices of a compatible tier, of which there are none today: an agent with it is not saved, a session goes on without it.',
  ),
  input_too_long: defineError(
    400,
    'invalid_request_error',
    'Input too long',
    false,
    'The text to speak is over 4,096 characters (Unicode code points). Nothing was spoken and nothing is billed.',
  ),
  unsupported_emotion: defineError(
    400,
    'invalid_request_error',
    'Unsupported emotion',
    false,
    "The voice cannot speak with that emotion; the voice's `emotions` in the catalogue lists those that it can.",
  ),
  invalid_voice_sample: defineError(
    400,
    'invalid_request_error',
    'Unusable voice sample',
    false,
    'The recording does not serve for a clone: it is too short or too long, too noisy, or holds several speakers. The message says which.',
  ),
  voice_not_found: defineError(
    404,
    'not_found_error',
    'Voice not found',
    false,
    'There is no such voice, or it does not work on this product or in this language.',
  ),
  voice_retired: defineError(
    410,
    'not_found_error',
    'Voice retired',
    false,
    'The voice existed once and is no longer served; choose another from GET /v1/voices.',
  ),
  ...CAST_ERRORS,
  invalid_audio: defineError(
    400,
    'invalid_request_error',
    'Invalid audio',
    false,
    'The file is not audio that can be decoded (wav, mp3, m4a, flac, ogg or webm), or it is damaged or cut short.',
  ),
  unsupported_language: defineError(
    400,
    'invalid_request_error',
    'Unsupported language',
    false,
    'Recognition speaks en, es, fr, de, hi, it, pt and nl; leave the field out to have the language found.',
  ),
  ...DUB_ERRORS,
  unsupported_model: defineError(
    400,
    'invalid_request_error',
    'Unsupported model',
    false,
    'There is no such model on this route; GET /v1/models lists them.',
  ),
  grounding_unavailable: defineError(
    400,
    'invalid_request_error',
    'Grounding unavailable',
    false,
    'Streams of recognition take no grounding. The stream goes on without it.',
  ),
  capacity: defineError(
    503,
    'server_error',
    'At capacity',
    true,
    'The engine serves as many streams as it can without hurting one of them, and none ended within 2 s. Organizations wait in turns. Try again shortly.',
  ),
  ...HEAR_ERRORS,
  internal_error: defineError(
    500,
    'server_error',
    'Internal error',
    true,
    'The server failed. Quote the request id when you report it.',
  ),
  unavailable: defineError(
    503,
    'server_error',
    'Unavailable',
    true,
    'A part that this request needs is not ready; Retry-After says when to try again.',
  ),
  ...TELEPHONY_ERRORS,
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;

export interface ApiErrorOptions {
  /** The plain envelope says the message once more, as `detail`. */
  detailed?: boolean;
  /** The field, query parameter or scope at fault. */
  param?: string;
  /** Seconds; sent as Retry-After. */
  retryAfter?: number;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** The one error that reaches a customer, in words for them; a key that they repeat by accident is taken out. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retryAfter: number | undefined;
  readonly headers: Record<string, string>;
  readonly detailed: boolean;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(scrubKeys(message), { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.param = options.param === undefined ? null : scrubKeys(options.param);
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
    this.detailed = options.detailed ?? false;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get type(): ErrorType {
    return ERRORS[this.code].type;
  }
}

/** The caller may not: as opposed to that it could not be found out, which says nothing of the caller. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code !== 'unavailable';
