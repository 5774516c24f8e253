import { useEffect, useState } from 'preact/hooks';
import { ApiRefusal, type Json } from './api.ts';

/** The token stays in memory only, so that a reload of the page asks for it again. */
let token: string | null = null;

export const setOperatorToken = (next: string | null): void => {
  token = next;
};

export const hasOperatorToken = (): boolean => token !== null;

/** A rejected token never ends the person's own session. */
export async function askAsOperator(method: string, path: string, body?: Json): Promise<Json> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(path, { method, headers, credentials: 'omit', ...sent });
  const read: Json = await answer.json().catch(() => ({}));
  if (answer.ok) return read;
  const error = read.error ?? read;
  throw new ApiRefusal(answer.status, String(error.code), String(error.message ?? answer.statusText));
}

const AGAIN_MS = 10_000;

interface Repeated {
  readonly data: Json;
  readonly error: Error | null;
  readonly again: () => void;
}

/** Reads again every ten seconds, because what the operator sees changes without their doing. */
export function useOperatorObject(path: string): Repeated {
  const [data, setData] = useState<Json>(null);
  const [error, setError] = useState<Error | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let timer = 0;
    let gone = false;
    const read = async () => {
      try {
        const answer = await askAsOperator('GET', path);
        if (!gone) setData(answer);
      } catch (thrown) {
        if (!gone) setError(thrown as Error);
      }
      if (!gone) timer = window.setTimeout(read, AGAIN_MS);
    };
    void read();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [path, turn]);
  return { data, error, again: () => setTurn((one) => one + 1) };
}

export interface OperatorList extends Pick<Repeated, 'error' | 'again'> {
  readonly rows: readonly Json[] | null;
}

export function useOperatorList(path: string): OperatorList {
  const { data, ...rest } = useOperatorObject(path);
  return { rows: data?.data ?? null, ...rest };
}
