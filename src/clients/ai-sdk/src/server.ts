import { APICallError } from '@ai-sdk/provider';

export interface Server {
  readonly baseURL: () => string;
  readonly headers: () => Record<string, string>;
  readonly fetch: typeof fetch;
}

export interface Sent {
  readonly body: string | FormData;
  /** What an error shows of the request. */
  readonly values: unknown;
  readonly headers: Record<string, string | undefined> | undefined;
  readonly signal: AbortSignal | undefined;
}

const isTransient = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

export const headersOf = (response: Response): Record<string, string> => Object.fromEntries(response.headers);

/** Resolves with an answer that succeeded; the SDK tries again what `isRetryable` says. */
export async function post(server: Server, path: string, sent: Sent): Promise<Response> {
  const url = server.baseURL() + path;
  const headers = { ...server.headers(), ...sent.headers };
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await server.fetch(url, {
    method: 'POST',
    headers: typeof sent.body === 'string' ? [...given, ['content-type', 'application/json']] : given,
    body: sent.body,
    ...(sent.signal ? { signal: sent.signal } : {}),
  });
  if (response.ok) return response;
  const responseBody = await response.text();
  throw new APICallError({
    message: messageOf(responseBody) ?? `the Trunkline server answered ${response.status}`,
    url,
    requestBodyValues: sent.values,
    statusCode: response.status,
    responseHeaders: headersOf(response),
    responseBody,
    isRetryable: isTransient(response.status),
  });
}

function messageOf(body: string): string | undefined {
  try {
    return (JSON.parse(body) as { error?: { message?: string } }).error?.message;
  } catch {
    return undefined;
  }
}
