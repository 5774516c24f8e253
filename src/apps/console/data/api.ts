/** Calls the public API: with the session on routes for people, with the session's API key elsewhere. */

import { t } from '../i18n/index.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are as the description of the API says; pages take what they show.
export type Json = any;
export type Environment = 'sandbox' | 'live';

export interface ProjectEnvironment {
  readonly project: string;
  readonly environment: Environment;
}

export interface SessionKey {
  readonly api_key: string;
  readonly project_id: string;
  readonly environment: Environment;
  readonly scopes: readonly string[];
  readonly expires_at: number;
}

export class ApiRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The connection is cut, or the server is down: the same request may succeed later. */
export class ServerUnreachable extends Error {
  constructor() {
    super(t('The server cannot be reached. What you typed is still here: try again.'));
  }
}

/**
 * A signed-in person calls these routes as themselves; the second pattern lists those that concern one project and
 * environment.
 */
const PERSON_ROUTES =
  /^\/(?:auth\/|v1\/(?:keys|members|projects|organization|omni\/origins|billing|audit|webhooks|integrations\/(?:destinations|zapier\/hooks)|customers|legal-holds|telephony\/compliance-cases\/\w+\/attestations)(?:[/?]|$))/;
const OF_PLACES =
  /^\/v1\/(?:webhooks|integrations\/(?:destinations|zapier\/hooks)|customers|legal-holds|telephony\/compliance-cases\/\w+\/attestations)(?:[/?]|$)/;
const RENEW_BEFORE_MS = 5 * 60_000;
const ATTEMPTS = 3;

let place: ProjectEnvironment | null = null;
let key: Promise<SessionKey> | null = null;
let onSignedOut: () => void = () => {};

export function whenSignedOut(notify: () => void): void {
  onSignedOut = notify;
}

export function enter(next: ProjectEnvironment | null): void {
  place = next;
  key = null;
}

export const entered = (): ProjectEnvironment | null => place;

/** Returns one key per project and environment, and renews it before it expires. */
export async function sessionKey(): Promise<SessionKey> {
  if (key !== null && (await key).expires_at - Date.now() < RENEW_BEFORE_MS) key = null;
  if (key === null) {
    const asked = call('POST', '/auth/session/key', {
      environment: place?.environment ?? 'sandbox',
      ...(place?.project ? { project_id: place.project } : {}),
    });
    key = asked;
    asked.catch(() => {
      if (key === asked) key = null;
    });
  }
  return await key;
}

export interface RequestExtras {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export async function fetchRaw(
  method: string,
  path: string,
  body?: unknown,
  { headers: also, signal }: RequestExtras = {},
): Promise<Response> {
  const headers: Record<string, string> = { ...also };
  if (!PERSON_ROUTES.test(path) && /^\/(?:v1\/|mcp$)/.test(path))
    headers.authorization = `Bearer ${(await sessionKey()).api_key}`;
  if (method === 'POST') headers['idempotency-key'] = onlyOnce();
  if (body !== undefined && !(body instanceof FormData)) headers['content-type'] = 'application/json';
  const sent = body === undefined ? null : body instanceof FormData ? body : JSON.stringify(body);
  for (let attempt = 1; ; attempt += 1) {
    const answer = await reached(
      fetch(placed(path), { method, headers, body: sent, signal: signal ?? null }),
    );
    if (answer.status === 429 && attempt < ATTEMPTS) {
      const seconds = Math.min(Number(answer.headers.get('retry-after')) || 1, 5);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    } else if (answer.ok) return answer;
    else throw await refusal(answer, path);
  }
}

/** Browsers report a cut connection as a TypeError, each in words of its own. */
const reached = (answer: Promise<Response>): Promise<Response> =>
  answer.catch((thrown: Error) => {
    throw thrown instanceof TypeError ? new ServerUnreachable() : thrown;
  });

export const isServerReachable = (): Promise<boolean> =>
  fetch('/console', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );

/** Every attempt of one request has the same key; `randomUUID` is absent on pages without TLS. */
const onlyOnce = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

function placed(path: string): string {
  if (place === null || !OF_PLACES.test(path)) return path;
  const query = `project_id=${place.project}&environment=${place.environment}`;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

async function refusal(answer: Response, path: string): Promise<ApiRefusal> {
  const body: Json = await answer.json().catch(() => ({}));
  const error = body.error ?? body;
  if (answer.status === 401 && path !== '/auth/login' && path !== '/auth/session') onSignedOut();
  return new ApiRefusal(
    answer.status,
    String(error.code ?? answer.status),
    String(error.message ?? error.detail ?? answer.statusText),
  );
}

async function call(method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await fetchRaw(method, path, body);
  const type = answer.headers.get('content-type') ?? '';
  return type.includes('json') ? await answer.json() : await answer.text();
}

export const get = (path: string): Promise<Json> => call('GET', path);
export const post = (path: string, body: unknown = {}): Promise<Json> => call('POST', path, body);
export const put = (path: string, body: unknown): Promise<Json> => call('PUT', path, body);
export const patch = (path: string, body: unknown): Promise<Json> => call('PATCH', path, body);
export const remove = (path: string): Promise<Json> => call('DELETE', path);

/** Fetches the data for a player or an image, because neither can send a key. */
export async function objectUrl(path: string): Promise<string> {
  return URL.createObjectURL(await (await fetchRaw('GET', path)).blob());
}
