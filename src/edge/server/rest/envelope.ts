import { type ApiError, ERRORS, type ErrorCode } from '../../../foundation/platform/errors.ts';

export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: ErrorCode;
    readonly param: string | null;
    readonly node?: string;
  };
}

export interface ProblemBody extends ErrorBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly request_id: string;
}

export interface RenderedError {
  readonly status: number;
  readonly contentType: 'application/json' | 'application/problem+json';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody | ProblemBody;
}

/**
 * Responses with these statuses (authentication, scope, billing, rate) use the plain error envelope; the others add a
 * problem to it.
 */
const PLAIN: ReadonlySet<number> = new Set([401, 402, 403, 429]);
const DEFAULT_RETRY_SECONDS = 1;

export function renderError(
  error: ApiError,
  context: { baseUrl: string; requestId: string; envelope?: 'error' | 'problem' | undefined },
): RenderedError {
  const entry = ERRORS[error.code];
  const inner: ErrorBody['error'] = {
    message: error.message,
    type: entry.type,
    code: error.code,
    param: error.param,
    ...(error.node === null ? {} : { node: error.node }),
  };
  const headers: Record<string, string> = { ...error.headers };
  if (error.node !== null) headers['x-svc-node'] = error.node;
  if (error.retryAfter !== undefined || entry.status === 429 || entry.status === 503) {
    headers['retry-after'] = String(Math.max(0, Math.ceil(error.retryAfter ?? DEFAULT_RETRY_SECONDS)));
  }
  const asProblem = context.envelope === 'problem';
  if ((PLAIN.has(entry.status) && !asProblem) || context.envelope === 'error') {
    const body = { error: inner, ...(error.detailed ? { detail: error.message } : {}) };
    return { status: entry.status, contentType: 'application/json', headers, body };
  }
  const body: ProblemBody = {
    type: `${context.baseUrl}/problems/${error.code}`,
    title: entry.title,
    status: entry.status,
    detail: error.message,
    request_id: context.requestId,
    error: inner,
  };
  return { status: entry.status, contentType: 'application/problem+json', headers, body };
}
