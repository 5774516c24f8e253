import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { escaped } from '../../../foundation/platform/patterns.ts';
import { printableFieldPath } from '../../../foundation/platform/printable.ts';
import { sendError } from './error-handler.ts';

interface KnownPath {
  readonly pattern: RegExp;
  readonly open: number;
  readonly methods: Set<string>;
}

export interface SpecialPath {
  readonly path: string;
  readonly methods?: readonly string[];
  readonly error: () => ApiError;
}

const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : escaped(part)))
      .join('/')}$`,
  );

export type UnknownRoute = (request: FastifyRequest) => ApiError;

/** Answers an unknown path with 404, and a known one with the wrong method with 405 and the allowed methods. */
export function registerNotFound(
  app: FastifyInstance,
  options: { baseUrl: () => string; special: readonly SpecialPath[] },
): UnknownRoute {
  const known = new Map<string, KnownPath>();
  app.addHook('onRoute', (route: RouteOptions) => {
    const entry = known.get(route.url) ?? {
      pattern: patternOf(route.url),
      open: openParts(route.url),
      methods: new Set<string>(),
    };
    for (const method of [route.method].flat()) entry.methods.add(method);
    known.set(route.url, entry);
  });
  const special = new Map(options.special.map((one) => [one.path, one]));
  const unknown: UnknownRoute = (request) =>
    answerFor(request.url.split('?', 1)[0] ?? '/', request.method, known, special);
  // This runs before the body is parsed, so that an unreadable body does not hide the unknown route.
  app.addHook('onRequest', async (request) => {
    if (request.is404 || isOfSibling(request, known)) throw unknown(request);
  });
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) =>
    sendError(request, reply, unknown(request), options.baseUrl()),
  );
  return unknown;
}

const openParts = (url: string): number =>
  url.split('/').filter((part) => part.startsWith(':') || part === '*').length;

/** Returns true when another route owns this literal path under other methods, such as `defaults` beside `:id`. */
function isOfSibling(
  { url, method, routeOptions }: FastifyRequest,
  known: ReadonlyMap<string, KnownPath>,
): boolean {
  const path = url.split('?', 1)[0] ?? '/';
  const own = known.get(path);
  return own !== undefined && own.open === 0 && routeOptions.url !== path && !own.methods.has(method);
}

function answerFor(
  path: string,
  method: string,
  known: ReadonlyMap<string, KnownPath>,
  special: ReadonlyMap<string, SpecialPath>,
): ApiError {
  const said = special.get(path);
  const allowed = new Set(said?.methods);
  const matching = [...known.values()].filter(({ pattern }) => pattern.test(path));
  const closest = Math.min(...matching.map(({ open }) => open));
  for (const { open, methods } of matching) if (open === closest) for (const one of methods) allowed.add(one);
  if (allowed.size > 0 && !allowed.has(method)) {
    const allow = [...allowed].sort().join(', ');
    return new ApiError(
      'method_not_allowed',
      `${printableFieldPath(path)} does not allow ${method}; it allows ${allow}.`,
      {
        headers: { allow },
      },
    );
  }
  if (said) return said.error();
  return new ApiError('not_found', `There is no route ${method} ${printableFieldPath(path)}.`);
}
