import { ConnectionError, secondsOf } from './errors.js';

export interface RetryOptions {
  /** How often a refused request is sent again; 2 by default. */
  readonly retries?: number;
  /** A `Retry-After` beyond so many seconds is not waited for; 30 by default. */
  readonly longestWaitSeconds?: number;
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Waits; for tests. */
  readonly sleep?: (ms: number) => Promise<void>;
}

const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
const FIRST_WAIT_MS = 250;

/** What may be sent twice without a second effect. */
const isRepeatable = ({ method, headers }: Request): boolean =>
  REPEATABLE.has(method) || headers.has('idempotency-key');

/** Sends again after a 429, and after a 503 or a broken connection where that can have no second effect. */
export function retrying(options: RetryOptions): (request: Request) => Promise<Response> {
  const { retries = 2, longestWaitSeconds = 30 } = options;
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const sleep = options.sleep ?? ((ms: number) => new Promise((resolve) => setTimeout(resolve, ms)));

  const waitOf = (response: Response, attempt: number): number | null => {
    const seconds = secondsOf(response.headers.get('retry-after'));
    if (seconds === null) return FIRST_WAIT_MS * 2 ** attempt;
    return seconds <= longestWaitSeconds ? seconds * 1000 : null;
  };

  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retries;
      const sent = isLast ? request : request.clone();
      let response: Response;
      try {
        response = await send(sent);
      } catch (error) {
        if (request.signal.aborted) throw error;
        if (isLast || !isRepeatable(request))
          throw new ConnectionError('the server cannot be reached', { cause: error });
        await sleep(FIRST_WAIT_MS * 2 ** attempt);
        continue;
      }
      const again = response.status === 429 || (response.status === 503 && isRepeatable(request));
      if (isLast || !again) return response;
      const wait = waitOf(response, attempt);
      if (wait === null) return response;
      await response.body?.cancel();
      await sleep(wait);
    }
  };
}
