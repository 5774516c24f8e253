import { StreamTooLarge } from '../../../foundation/platform/server-sent-events.ts';
import { BrainError } from '../contract.ts';

const TIMED_OUT = 408;
/** One vendor uses 529 for an overload. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 503, 529]);

const WHY: Readonly<Record<number, string>> = {
  401: 'it does not take the key, or wants it in another header',
  403: 'the key may not use this model',
  404: 'it has no such model, or the address is another',
};

const MOST_SAID_BYTES = 16_384;
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

export async function readErrorBody(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= MOST_SAID_BYTES) break;
  }
  return Buffer.concat(parts).toString('utf8').slice(0, MOST_SAID_BYTES);
}

export function endpointStatusError(status: number, retryAfter: string | null, said: string): BrainError {
  const overloaded = OVERLOADED.has(status);
  const fails = status >= 500 || status === TIMED_OUT;
  const fault = overloaded ? 'overloaded' : fails ? 'unreachable' : 'refused';
  const code = codeOf(said);
  const why = WHY[status];
  return new BrainError(
    fault,
    `the endpoint answered ${status}${code && ` (${code})`}${why ? `: ${why}` : ''}`,
    {
      retryable: overloaded || fails,
      retryAfterMs: retryAfterMs(retryAfter),
    },
  );
}

/** An error's body may repeat the caller's words, so only its code goes into messages and logs. */
function codeOf(said: string): string {
  try {
    const { error } = JSON.parse(said) as { error?: { code?: unknown; type?: unknown } };
    const code = [error?.code, error?.type].find((one) => typeof one === 'string' && CODE.test(one));
    return (code as string | undefined) ?? '';
  } catch {
    return '';
  }
}

/** Parses `Retry-After`: seconds or a date. */
function retryAfterMs(value: string | null): number | null {
  if (value === null) return null;
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

export function toBrainError(error: unknown, expired: boolean): BrainError {
  if (error instanceof BrainError) return error;
  if (error instanceof StreamTooLarge)
    return new BrainError('garbage', error.message, { retryable: false, cause: error });
  if (expired)
    return new BrainError('timeout', 'the endpoint did not answer before the deadline', {
      retryable: true,
      cause: error,
    });
  return new BrainError('unreachable', `the endpoint could not be reached${causeOf(error)}`, {
    retryable: true,
    cause: error,
  });
}

function causeOf(error: unknown): string {
  const { code } = ((error as { cause?: unknown } | null)?.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && CODE.test(code) ? ` (${code})` : '';
}

export function endpointStreamError(said: unknown): BrainError {
  const { status, code, type } = (typeof said === 'object' && said !== null ? said : {}) as Record<
    string,
    unknown
  >;
  const number = [status, code].find(
    (one) => typeof one === 'number' || /^[45]\d\d$/.test(String(one ?? '')),
  );
  if (number !== undefined) return endpointStatusError(Number(number), null, JSON.stringify({ error: said }));
  const word = [code, type].find((one) => typeof one === 'string' && CODE.test(one)) as string | undefined;
  const busy = word !== undefined && /overload|rate_limit|capacity|unavailable|too_many/i.test(word);
  const named = word === undefined ? '' : ` (${word})`;
  return new BrainError(busy ? 'overloaded' : 'refused', `the endpoint reported an error${named}`, {
    retryable: busy,
  });
}
