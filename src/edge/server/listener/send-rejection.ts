import type { ApiError } from '../../../foundation/platform/errors.ts';
import { renderError } from '../rest/envelope.ts';
import type { UwsResponse } from './uws.ts';

export function sendRejection(
  response: UwsResponse,
  error: ApiError,
  requestId: string,
  baseUrl: string,
): void {
  const rendered = renderError(error, { baseUrl, requestId });
  response.cork(() => {
    response.writeStatus(`${rendered.status} ${rendered.body.error.code}`);
    response.writeHeader('content-type', rendered.contentType).writeHeader('x-request-id', requestId);
    response.writeHeader('cache-control', 'no-store');
    for (const [name, value] of Object.entries(rendered.headers)) response.writeHeader(name, value);
    response.end(JSON.stringify(rendered.body), true);
  });
}
