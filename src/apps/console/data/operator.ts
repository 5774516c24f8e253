import { ApiRefusal, type Json } from './api.ts';

/** The token stays in memory only, so that a reload of the page asks for it again. */
let token: string | null = null;

export const setOperatorToken = (next: string | null): void => {
  token = next;
};

export const hasOperatorToken = (): boolean => token !== null;

/** A rejected token never ends the person's own session. */
export async function askAsOperator(method: string, path: string): Promise<Json> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(path, { method, headers, credentials: 'omit' });
  const body: Json = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  const error = body.error ?? body;
  throw new ApiRefusal(answer.status, String(error.code), String(error.message ?? answer.statusText));
}
