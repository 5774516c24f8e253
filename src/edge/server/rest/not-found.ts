import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { escaped } from '../../../foundation/platform/patterns.ts';
import { sendError } from './error-edge.ts';
import { shownPath } from './field-name.ts';

interface KnownPath {
  readonly pattern: RegExp;
  /** Parts of it that stand for anything. */
  readonly open: number;
  readonly methods: Set<string>;
}

/** Paths that once were, or that only sockets serve, and what to say to who comes. */
export interface SpecialPath {
  readonly path: string;
  /** The only ones that are told so; any other is a wrong method. */
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

/** What to say to a request that no route takes. */
export type UnknownRoute = (request: FastifyRequest) => ApiError;

/** An unknown path is a 404, a known one with the wrong method a 405 that lists the right ones. */
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
  // Before the body is looked at: what it holds, and whether anybody could read it, is no matter.
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

/** The path is a route's own, of other methods: what takes this one takes it for a name, `defaults` for an id. */
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
      `${method} is not a method of ${shownPath(path)}; it takes ${allow}.`,
      {
        headers: { allow },
      },
    );
  }
  if (said) return said.error();
  return new ApiError('not_found', `There is no route ${method} ${shownPath(path)}.`);
}
