import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import type { Log } from '../../../foundation/platform/log.ts';
import { printableValue } from '../../../foundation/platform/printable.ts';
import { storageRefusal } from '../../../foundation/platform/storage-fault.ts';
import { renderError } from './envelope.ts';
import { unknownIdError } from './storable-input.ts';
import { validationError } from './validation-error.ts';

export function registerErrorHandler(
  app: FastifyInstance,
  options: { baseUrl: () => string; unknown: (request: FastifyRequest) => ApiError },
): void {
  app.setErrorHandler((error: unknown, request, reply) => {
    const answer =
      abortErrorOf(request, error) ??
      (isUnknownMethod(error) ? options.unknown(request) : toApiError(error, request.log as Log, request));
    sendError(request, reply, withPathValues(answer, request), options.baseUrl());
  });
}

/** The token of an invitation or a link is a secret. */
const NOT_REPEATED = new Set(['*', 'token']);

/** Repeats the ids of the path, for whoever reads the message alone: in a log, or in a batch of requests. */
function withPathValues(error: ApiError, { params }: FastifyRequest): ApiError {
  if (!(error instanceof NoSuchError)) return error;
  const { what, code, param, cause } = error;
  const named = Object.entries((params ?? {}) as Record<string, string>)
    .filter(([name, value]) => !NOT_REPEATED.has(name) && !error.message.includes(value))
    .map(([name, value]) => `${name} ${printableValue(value)}`);
  if (named.length === 0) return error;
  return new ApiError(code, `There is no such ${what} (${named.join(', ')}).`, {
    cause,
    ...(param === null ? {} : { param }),
  });
}

/** Fastify reports methods that HTTP does not define to the error handler, not to the handler of unknown routes. */
const isUnknownMethod = (error: unknown): boolean => (error as FastifyError)?.code === 'FST_ERR_NOT_FOUND';

const TRUNCATED_BODY_CODES = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'FST_MP_PREMATURE_CLOSE']);

/** Returns the response of an aborted request. A disconnect or a shutdown is not logged as a fault. */
function abortErrorOf(request: FastifyRequest, error: unknown): ApiError | undefined {
  if (request.raw.aborted && TRUNCATED_BODY_CODES.has((error as FastifyError)?.code)) {
    const reason = new ApiError('invalid_request', 'The body ended before it was complete.', {
      cause: error,
    });
    request.log.info({ code: reason.code, route: request.routeOptions.url }, reason.message);
    return reason;
  }
  if (!request.gone?.aborted || !(error instanceof ApiError)) return undefined;
  const reason = request.gone.reason as ApiError;
  request.log.info({ code: error.code }, reason.message);
  return reason;
}

export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ApiError,
  baseUrl: string,
): FastifyReply {
  const rendered = renderError(error, {
    baseUrl,
    requestId: request.id,
    envelope: request.routeOptions?.config?.envelope,
  });
  // The handler may have set these for its response; they do not describe the error.
  for (const name of ['content-length', 'content-encoding', 'content-disposition', 'etag']) {
    reply.removeHeader(name);
  }
  return reply
    .code(rendered.status)
    .headers({ ...rendered.headers, 'x-request-id': request.id, 'cache-control': 'no-store' })
    .type(rendered.contentType)
    .serializer(JSON.stringify)
    .send(rendered.body);
}

type FailedRequest = Pick<FastifyRequest, 'routeOptions'>;

const BY_FRAMEWORK_CODE: Readonly<Record<string, (request?: FailedRequest) => ApiError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError('unsupported_media_type', 'The Content-Type of the request is not supported by this route.'),
  FST_INVALID_MULTIPART_CONTENT_TYPE: () =>
    new ApiError('unsupported_media_type', 'This route requires multipart/form-data.'),
  FST_ERR_CTP_BODY_TOO_LARGE: (request) => {
    const most = request?.routeOptions.bodyLimit;
    const message = most === undefined ? 'The body is too large.' : `The body is larger than ${most} bytes.`;
    return new ApiError('payload_too_large', message);
  },
  FST_REQ_FILE_TOO_LARGE: () => new ApiError('payload_too_large', 'The file is too large.'),
  FST_FILES_LIMIT: () => invalid('The request has too many files.'),
  FST_FIELDS_LIMIT: () => invalid('The request has too many fields.'),
  FST_PARTS_LIMIT: () => invalid('The request has too many parts.'),
  FST_MP_PREMATURE_CLOSE: () => invalid('The body ended before the form was complete.'),
  FST_PROTO_VIOLATION: () => invalid('A field has a name that is not allowed.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    invalid('The length of the body differs from its Content-Length.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => invalid('The body is empty; send JSON.'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => invalid('The body is not valid JSON.'),
  FST_ERR_BAD_URL: () => invalid('The URL is not valid.'),
  FST_ERR_ASYNC_CONSTRAINT: () => invalid('The URL is not valid.'),
};

const invalid = (message: string): ApiError => new ApiError('invalid_request', message);

export function toApiError(error: unknown, log: Log, request?: FailedRequest): ApiError {
  if (error instanceof ApiError) {
    // A 503 is intended, from a full or draining server; other 5xx are faults to investigate.
    if (error.status === 503) log.info({ code: error.code }, error.message);
    else if (error.status >= 500) log.error({ err: error }, error.message);
    return error;
  }
  const thrown = error as FastifyError;
  if (thrown?.validation && thrown.validationContext === 'params' && request) return unknownIdError(request);
  if (thrown?.validation) return validationError(thrown.validation, thrown.validationContext ?? 'body');
  const known = typeof thrown?.code === 'string' ? BY_FRAMEWORK_CODE[thrown.code] : undefined;
  if (known) return known(request);
  if (thrown instanceof SyntaxError && thrown.statusCode === 400)
    return invalid('The body is not valid JSON.');
  if (typeof thrown?.statusCode === 'number' && thrown.statusCode >= 400 && thrown.statusCode < 500) {
    log.warn({ err: thrown }, 'a client error has no known code');
    return invalid('The request is not valid.');
  }
  const refusal = storageRefusal(thrown);
  if (refusal) {
    log.error({ err: thrown }, 'storage rejected the operation');
    return refusal;
  }
  log.error({ err: thrown }, 'a route failed');
  return new ApiError('internal_error', 'The server failed to answer this request.', { cause: thrown });
}
