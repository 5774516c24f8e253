import ipaddr from 'ipaddr.js';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { UwsRequest, UwsResponse } from './uws.ts';

export type HeadFault = 'ambiguous' | 'too_large';

/** Holds copies, because the library's request is valid only during its callback. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Record<string, string>;
  readonly rawHeaders: string[];
  readonly peer: string;
  readonly fault: HeadFault | undefined;
}

const MAX_HEADER_BYTES = 32 * 1024;
/** Repeating one of these headers allows request smuggling: two parsers may read one request differently. */
const SINGLETON_HEADERS = new Set(['host', 'content-length', 'transfer-encoding']);
/** Node takes the first value of these headers, and so does this listener. */
const FIRST_VALUE_HEADERS = new Set([
  'authorization',
  'content-type',
  'user-agent',
  'from',
  'if-modified-since',
  'x-api-key',
]);

export function readHead(request: UwsRequest, response: UwsResponse): RequestHead {
  const headers: Record<string, string> = Object.create(null);
  const rawHeaders: string[] = [];
  let fault: RequestHead['fault'];
  const path = request.getUrl();
  const query = request.getQuery() ?? '';
  let size = path.length + query.length;
  request.forEach((name, value) => {
    size += name.length + value.length;
    rawHeaders.push(name, value);
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (SINGLETON_HEADERS.has(name)) fault = 'ambiguous';
    else if (!FIRST_VALUE_HEADERS.has(name))
      headers[name] = before + (name === 'cookie' ? '; ' : ', ') + value;
  });
  if (size > MAX_HEADER_BYTES) fault = 'too_large';
  return {
    method: request.getCaseSensitiveMethod(),
    url: query === '' ? path : `${path}?${query}`,
    path,
    query,
    headers,
    rawHeaders,
    peer: addressOf(response),
    fault,
  };
}

function addressOf(response: UwsResponse): string {
  const text = Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : text;
}

export const headFaultError = (fault: HeadFault): ApiError =>
  fault === 'too_large'
    ? new ApiError('headers_too_large', `The request line and headers exceed ${MAX_HEADER_BYTES} bytes.`)
    : new ApiError(
        'invalid_request',
        'Host, Content-Length or Transfer-Encoding was sent more than once; send it once.',
      );
