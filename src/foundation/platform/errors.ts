import { ACCOUNT_ERRORS } from './account-errors.ts';
import { CASE_ERRORS } from './case-errors.ts';
import { defineError, type ErrorDefinition, type ErrorType } from './error-definition.ts';
import { scrubKeys } from './scrub.ts';
import { TELEPHONY_ERRORS } from './telephony-errors.ts';

export type { ErrorDefinition, ErrorType } from './error-definition.ts';

export const ERRORS = {
  invalid_request: defineError(400, 'invalid_request_error', 'Invalid request', false, {
    cause: 'A field of the request is missing, unknown, of the wrong type or out of range; `param` names it.',
    remedy:
      'Correct the field that `param` names. The reference at /docs lists the fields of each route and what they take.',
    example:
      '`POST /v1/audio/speech` with `"speed": 9` answers `param` `speed` and a message with the allowed range.',
  }),
  not_found: defineError(404, 'not_found_error', 'Not found', false, {
    cause: 'There is no such route, or no such resource in the organization and project of the credential.',
    remedy:
      'Check the path and the id. A resource of another project or environment answers the same: use a key of the project that owns it.',
    example:
      '`GET /v1/agents/agt_1` with a key of another project answers `There is no such agent (agent_id agt_1).`',
  }),
  method_not_allowed: defineError(405, 'invalid_request_error', 'Method not allowed', false, {
    cause: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods that the Allow header lists.',
    example: '`PUT /v1/agents` answers `/v1/agents does not allow PUT; it allows GET, HEAD, POST.`',
  }),
  payload_too_large: defineError(413, 'invalid_request_error', 'Payload too large', false, {
    cause: 'The body, or the audio in it, is larger or longer than the route or your plan allows.',
    remedy:
      'Send less: cut the recording into parts, or send it compressed. For a limit of the plan, the message gives the number.',
    example: 'A transcription of a file over the plan’s bytes answers `file is larger than 26214400 bytes.`',
  }),
  headers_too_large: defineError(431, 'invalid_request_error', 'Headers too large', false, {
    cause: 'The request line and headers together are larger than the server reads.',
    remedy: 'Shorten the URL, cookies and headers; send long values in the body.',
    example: '`The request line and headers exceed 32768 bytes.`',
  }),
  unsupported_media_type: defineError(415, 'invalid_request_error', 'Unsupported media type', false, {
    cause: 'The Content-Type of the request is not supported by this route.',
    remedy: 'Send `application/json`, or `multipart/form-data` where the route takes files.',
    example:
      '`POST /v1/audio/transcriptions` with `text/plain` answers `This route requires multipart/form-data.`',
  }),
  missing_api_key: defineError(401, 'authentication_error', 'No credential', false, {
    cause: 'The request carries no credential.',
    remedy:
      'Send the key as `Authorization: Bearer` or `x-api-key`; routes of the console need a signed-in session.',
    example:
      '`GET /v1/agents` without headers answers `This route needs an API key, and the request carries no credential.`',
  }),
  invalid_api_key: defineError(401, 'authentication_error', 'Invalid credential', false, {
    cause: 'The credential is malformed or unknown.',
    remedy: 'Check that the key was copied whole and belongs to this server.',
    example: '`Authorization: Bearer svc_live_12` answers `The credential is malformed or unknown.`',
  }),
  unauthorized: defineError(401, 'authentication_error', 'Credential no longer valid', false, {
    cause: 'The credential was revoked or has expired, or the e-mail and password do not match.',
    remedy:
      'Create or rotate the key, mint another browser token, or sign in again. A webhook of a carrier or partner is refused so when its signature does not match the bytes sent.',
    example: 'A request with a revoked key answers `The credential was revoked.`',
  }),
  forbidden: defineError(403, 'permission_error', 'Forbidden', false, {
    cause:
      'The credential is valid but does not open this route; `param` names the missing scope, role or entitlement.',
    remedy:
      'Use a key with that scope (GET /v1/me lists the scopes of a key), ask an owner for the role, or the operator for the entitlement.',
    example:
      '`POST /v1/telephony/calls` with a key without `telephony:manage` answers `The key lacks the scope telephony:manage.`',
  }),
  origin_not_allowed: defineError(403, 'permission_error', 'Origin not allowed', false, {
    cause:
      'The request comes from a web origin that the organization has not put on its allow-list, or that the token was not made for.',
    remedy:
      'Add the origin with PUT /v1/omni/origins (an operator without an account: `npx trunkline keys create --origins`), or create the token for the origin of the page.',
    example: 'A page at `https://shop.example` opens `/v1/omni` with a token made for `https://app.example`.',
  }),
  credit_exhausted: defineError(402, 'billing_error', 'Credit exhausted', false, {
    cause: 'The organization has no prepaid credit left.',
    remedy: 'Add credit, or use a sandbox key, which costs nothing.',
    example: '`POST /v1/audio/speech` answers `The organization has no prepaid credit left.`',
  }),
  key_budget_exceeded: defineError(402, 'billing_error', 'Key budget exceeded', false, {
    cause: 'The key has reached its own monthly budget.',
    remedy: 'Raise the budget with PATCH /v1/keys/{id}, use another key, or wait for the next UTC month.',
    example: 'A key with `budget_micros` 5000000 is refused after 5 units of currency in a month.',
  }),
  insufficient_quota: defineError(402, 'billing_error', 'Quota exhausted', false, {
    cause: 'The monthly quota of the plan is used up.',
    remedy: 'Move to a larger plan, or wait for the next UTC month. GET /v1/billing/usage shows the use.',
    example: "`The plan's quota of 100000 units a month is used up.`",
  }),
  storage_quota_exceeded: defineError(402, 'billing_error', 'Storage quota exceeded', false, {
    cause: 'The organization has reached the storage quota of its plan.',
    remedy:
      'Delete recordings or documents, or shorten their retention. GET /v1/me says how many bytes are stored and allowed.',
    example:
      'An upload to `POST /v1/knowledgebases/{id}/documents` is refused when the plan’s bytes are used.',
  }),
  rate_limit_exceeded: defineError(429, 'rate_limit_error', 'Rate limit exceeded', true, {
    cause:
      'The key, or the network it calls from, sends more requests a second than allowed; or a limit of a number or destination is reached, which the message names.',
    remedy:
      'Wait as long as Retry-After says, then send the request again. Spread requests, or ask for a plan with a higher rate.',
    example: '`The key has exceeded the request rate of its plan.` with `Retry-After: 1`',
  }),
  concurrency_limit_exceeded: defineError(429, 'rate_limit_error', 'Too many concurrent sessions', true, {
    cause: 'The key has reached the limit of concurrent live sessions of its plan.',
    remedy: 'Close a session, or wait for one to end; a larger plan allows more at once.',
    example: '`The limit of 4 concurrent live sessions is reached.`',
  }),
  daily_cap_exceeded: defineError(429, 'rate_limit_error', 'Daily cap reached', true, {
    cause: 'The daily cap of units is used up. It resets at 00:00 UTC.',
    remedy: 'Wait until Retry-After has passed, or raise the cap of the key.',
    example: '`The daily cap of 3600 units (seconds of audio) is used up. It resets at 00:00 UTC.`',
  }),
  sandbox_limit_reached: defineError(429, 'rate_limit_error', 'Sandbox key limit reached', true, {
    cause: 'This source network has reached the limit of sandbox keys within 24 hours.',
    remedy: 'Use one of the keys that you have, make an account, or wait as long as Retry-After says.',
    example: '`Sandbox keys are limited to 2 per source network in a rolling window of 24 hours.`',
  }),
  version_conflict: defineError(409, 'conflict_error', 'Version conflict', true, {
    cause: 'The resource was changed by another request since you read it, or at the same moment.',
    remedy: 'Retrieve the resource again, apply your change to it, and send the request again.',
    example:
      'Two requests save one agent; the second answers `Another request has changed the agent. Retrieve it again and repeat the change.`',
  }),
  knowledge_full: defineError(409, 'conflict_error', 'Knowledge full', false, {
    cause:
      'The project holds as many knowledge bases, documents or passages as it may; the message says which.',
    remedy: 'Delete some, or ask the operator for a higher limit.',
    example: '`A project can have at most 5 knowledge bases in the sandbox. Delete some first.`',
  }),
  suite_not_passed: defineError(409, 'conflict_error', 'Suite not passed', false, {
    cause:
      'The agent requires a test suite, and the newest run of it against this version did not pass, or there is none.',
    remedy: 'Save with `draft=true`, run the suite with POST /v1/agents/{agent_id}/test-runs, then publish.',
    example: '`The suite “smoke” was not run against version 4.`',
  }),
  ...ACCOUNT_ERRORS,
  ...CASE_ERRORS,
  call_integrations_not_entitled: defineError(
    403,
    'permission_error',
    'Call integrations not entitled',
    false,
    {
      cause: 'The organization is not entitled to import calls from other providers.',
      remedy: 'Ask the operator to grant the entitlement `call_integrations`.',
      example: 'A webhook of a call provider answers `Your organization is not entitled to import calls.`',
    },
  ),
  call_not_permitted: defineError(409, 'conflict_error', 'Calls are not permitted', false, {
    cause: 'The person has not permitted calls from this number, or withdrew the permission.',
    remedy: 'Ask them with POST /v1/msgapp/numbers/{id}/call-permissions, and call once they have agreed.',
    example: '`POST /v1/msgapp/calls` to a person who never answered a permission request.',
  }),
  calling_disabled: defineError(409, 'conflict_error', 'Calling is off', false, {
    cause: 'Calling is disabled for this number.',
    remedy: 'Enable it with PUT /v1/msgapp/numbers/{id}/calling `{"status": "ENABLED"}`.',
    example: '`POST /v1/msgapp/calls` from a number that was registered a moment ago.',
  }),
  provider_refused: defineError(502, 'server_error', 'The provider refused', true, {
    cause:
      'The messaging provider rejected the request, or could not be reached; the message has its answer.',
    remedy:
      'Correct what the provider names, such as the access token; if it could not be reached, send the request again.',
    example: '`POST /v1/msgapp/numbers/{id}/call-permissions` while the access token has expired.',
  }),
  idempotency_conflict: defineError(409, 'conflict_error', 'Idempotency conflict', false, {
    cause: 'The idempotency key or reference was used before with a different body.',
    remedy: 'Use a new key for a new request; repeat the exact body to repeat a request.',
    example: '`The Idempotency-Key was already used with a different body. Use a new key for a new request.`',
  }),
  legal_hold: defineError(409, 'conflict_error', 'Legal hold', false, {
    cause: 'The record is under a legal hold, which protects it from every removal.',
    remedy: 'Release the hold with DELETE /v1/legal-holds/{record}, then remove the record.',
    example: '`DELETE /v1/omni/calls/{call_id}` of a call that is evidence.',
  }),
  upgrade_required: defineError(426, 'invalid_request_error', 'Upgrade required', false, {
    cause: 'The path is a WebSocket route, and the request is not a WebSocket upgrade.',
    remedy: 'Open it with a WebSocket client: `Upgrade: websocket` and a valid `Sec-WebSocket-Key`.',
    example:
      '`GET /v1/omni` with curl answers `/v1/omni only accepts WebSocket connections, and the request has no header Upgrade: websocket.`',
  }),
  invalid_agent_id: defineError(400, 'invalid_request_error', 'Invalid agent id', false, {
    cause:
      'The agent id or session label on a realtime URL holds control characters or is over 128 characters.',
    remedy: 'Send the id as the API gave it, percent-encoded once.',
    example: '`wss://host/v1/omni?agent_id=a%00b`',
  }),
  unsupported_voice_instruct: defineError(400, 'invalid_request_error', 'Voice takes no instruction', false, {
    cause: 'No voice supports `voice_instruct` yet. Saving an agent with it fails; a session ignores it.',
    remedy: 'Leave `voice_instruct` out, and choose the voice by `voice_id`.',
    example: '`POST /v1/agents` with `"voice_instruct": "whisper"`',
  }),
  input_too_long: defineError(400, 'invalid_request_error', 'Input too long', false, {
    cause:
      'The text to speak is over 4,096 characters (Unicode code points). Nothing was spoken and nothing is billed.',
    remedy: 'Cut the text at a sentence and send the parts one after the other.',
    example: '`The input has 5210 characters; the limit is 4096.`',
  }),
  unsupported_emotion: defineError(400, 'invalid_request_error', 'Unsupported emotion', false, {
    cause: 'The voice cannot speak with that emotion.',
    remedy: "Choose one of the voice's `emotions` in GET /v1/voices, or leave the field out.",
    example: "`The voice 'alloy_en_us' does not speak 'angry'; it speaks neutral.`",
  }),
  invalid_voice_sample: defineError(400, 'invalid_request_error', 'Unusable voice sample', false, {
    cause:
      'The recording cannot be used for a clone: it is too short or too long, too noisy, or holds several speakers. The message says which.',
    remedy: 'Record 3 to 120 s of one speaker in a quiet room, and send it again.',
    example: '`The recording is too short: it has 1.2 s of speech; the minimum is 3 s.`',
  }),
  voice_not_found: defineError(404, 'not_found_error', 'Voice not found', false, {
    cause: 'There is no such voice, or it does not work on this product or in this language.',
    remedy: 'Choose a voice from GET /v1/voices that lists the product and the language.',
    example: "`The voice 'alloy_en_us' speaks en, not es.`",
  }),
  voice_retired: defineError(410, 'not_found_error', 'Voice retired', false, {
    cause: 'The voice existed earlier and is no longer available.',
    remedy: 'Choose another from GET /v1/voices.',
    example: "`The voice 'amy_en_us' is no longer available.`",
  }),
  unsupported_voice: defineError(422, 'invalid_request_error', 'Unsupported voice', false, {
    cause: 'Cast has no voice of that name.',
    remedy: 'Choose one of the voices in GET /v1/cast/capabilities.',
    example: '`POST /v1/cast/projects/{id}/renders` of a project whose line names a voice that was removed.',
  }),
  range_not_satisfiable: defineError(416, 'invalid_request_error', 'Range not satisfiable', false, {
    cause: 'The byte range in the Range header is outside of the file.',
    remedy: 'Request a range within the length that Content-Range returns.',
    example: '`Range: bytes=9000-` of a file of 8,000 bytes answers `Content-Range: bytes */8000`.',
  }),
  invalid_audio: defineError(400, 'invalid_request_error', 'Invalid audio', false, {
    cause:
      'The file is not audio that can be decoded (wav, mp3, m4a, flac, ogg or webm), or it is damaged or cut short.',
    remedy: 'Check that the file plays and was uploaded whole; convert it to wav if its format is another.',
    example: '`The ogg file is truncated: it ends within a page.`',
  }),
  unsupported_language: defineError(400, 'invalid_request_error', 'Unsupported language', false, {
    cause: 'The language is not supported; recognition supports en, es, fr, de, hi, it, pt and nl.',
    remedy: 'Send one of these codes, or leave the field out to have the language detected.',
    example: '`POST /v1/audio/transcriptions` with `language=sv`',
  }),
  unsupported_direction: defineError(422, 'invalid_request_error', 'Unsupported direction', false, {
    cause: 'This server cannot dub between these two languages at the moment.',
    remedy: 'Choose a pair that GET /healthz/dub lists, or ask the operator to install the translator.',
    example: '`POST /v1/dub` with `"target": "hi"` on a server without a model for it.',
  }),
  dub_not_ready: defineError(409, 'conflict_error', 'Dub not ready', false, {
    cause: 'The dub is still in progress, or its files were deleted; see its `status`.',
    remedy: 'Wait for the event `dub.done` or poll the dub; submit it again if its recording was removed.',
    example: '`GET /v1/dub/{id}/download` a second after submission.',
  }),
  unsupported_model: defineError(400, 'invalid_request_error', 'Unsupported model', false, {
    cause: 'There is no such model on this route.',
    remedy: 'Use a model that the route supports; GET /v1/models lists the models.',
    example: "`The model 'svc-hear' does not synthesize speech; use 'svc-speak'.`",
  }),
  grounding_unavailable: defineError(400, 'invalid_request_error', 'Grounding unavailable', false, {
    cause: 'Grounding is not supported on recognition streams. The stream continues without it.',
    remedy: 'Omit the grounding frame; send vocabulary as keyterms instead.',
    example: 'A frame `{"type": "grounding", …}` on `/v1/audio/transcriptions/stream`',
  }),
  capacity: defineError(503, 'server_error', 'At capacity', true, {
    cause:
      'The engine serves as many streams as it can without hurting one of them, and none ended within 2 s. Waiting requests are served in turn, organization by organization.',
    remedy:
      'Try the node that `node` and the header `X-Svc-Node` name, where there is one; else wait as long as Retry-After says and try again. The operator adds nodes, or moves models to a GPU.',
    example: '`All lanes of this server are in use. Try again shortly.`',
  }),
  trace_not_entitled: defineError(403, 'permission_error', 'Trace not entitled', false, {
    cause: 'The organization is not entitled to the PII scan.',
    remedy: 'Omit `trace`, or ask the operator to grant the entitlement `trace`.',
    example:
      '`POST /v1/transcription/jobs` with `"trace": true` answers `Your organization is not entitled to trace.`',
  }),
  trace_not_combinable: defineError(400, 'invalid_request_error', 'Trace not combinable', false, {
    cause: '`trace` cannot be combined with `diarize` or `channel`.',
    remedy: 'Send two jobs, or omit one of the fields; `param` names the field.',
    example: '`{"trace": true, "diarize": true}` answers `trace cannot be combined with diarize.`',
  }),
  internal_error: defineError(500, 'server_error', 'Internal error', true, {
    cause: 'The server failed to answer the request.',
    remedy: 'Send it again; if it fails again, report it with the `request_id`.',
    example: '`The server failed to answer this request.`',
  }),
  unavailable: defineError(503, 'server_error', 'Unavailable', true, {
    cause: 'A component that this request needs is not ready, or the server is shutting down.',
    remedy:
      'Wait as long as Retry-After says and try again. GET /readyz names the component that is not ready.',
    example: '`The server is shutting down. Send the request again after a few seconds.`',
  }),
  ...TELEPHONY_ERRORS,
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;

export interface ApiErrorOptions {
  detailed?: boolean;
  param?: string;
  /** The value is in seconds and is sent as Retry-After. */
  retryAfter?: number;
  headers?: Record<string, string>;
  /** The public address of another node that can serve the request. */
  node?: string | null;
  cause?: unknown;
}

/** Only this error reaches a customer. Its message is scrubbed of keys. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retryAfter: number | undefined;
  readonly headers: Record<string, string>;
  readonly detailed: boolean;
  readonly node: string | null;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(scrubKeys(message), { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.param = options.param === undefined ? null : scrubKeys(options.param);
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
    this.detailed = options.detailed ?? false;
    this.node = options.node ?? null;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get type(): ErrorType {
    return ERRORS[this.code].type;
  }
}

/** The response repeats the ids of the path, so that whoever throws this names the kind alone. */
export class NoSuchError extends ApiError {
  readonly what: string;

  constructor(
    what: string,
    { code = 'not_found', ...options }: ApiErrorOptions & { code?: 'not_found' | 'voice_not_found' } = {},
  ) {
    super(code, `There is no such ${what}.`, options);
    this.what = what;
  }
}

/** A refusal says that the caller is not permitted. A failed check says nothing of the caller. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code !== 'unavailable';
