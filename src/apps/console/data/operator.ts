import { ApiRefusal, type Json } from './api.ts';
import { type Polled, usePolled } from './polled.ts';

/** The token stays in memory only, so that a reload of the page asks for it again. */
let token: string | null = null;

export const setOperatorToken = (next: string | null): void => {
  token = next;
};

export const hasOperatorToken = (): boolean => token !== null;

export const operatorHeaders = (): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` };

/** A rejected token never ends the person's own session. */
export async function askAsOperator(method: string, path: string, body?: Json): Promise<Json> {
  const headers = operatorHeaders();
  if (body !== undefined) headers['content-type'] = 'application/json';
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(path, { method, headers, credentials: 'omit', ...sent });
  const read: Json = await answer.json().catch(() => ({}));
  if (answer.ok) return read;
  const error = read.error ?? read;
  throw new ApiRefusal(answer.status, String(error.code), String(error.message ?? answer.statusText));
}

export const useOperatorObject = (path: string): Polled => usePolled(path, () => askAsOperator('GET', path));

export interface OperatorList extends Pick<Polled, 'error' | 'again'> {
  readonly rows: readonly Json[] | null;
}

export function useOperatorList(path: string): OperatorList {
  const { data, ...rest } = useOperatorObject(path);
  return { rows: data?.data ?? null, ...rest };
}
