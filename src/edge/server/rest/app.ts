import multipart from '@fastify/multipart';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerFactory,
  LogController,
} from 'fastify';
import type { AccessControl } from '../../../foundation/access/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import type { Log } from '../../../foundation/platform/log.ts';
import type { Metrics } from '../../../foundation/platform/metrics.ts';
import type { Tracing } from '../../../foundation/platform/tracing.ts';
import { foldForwarded, type ProxyTest } from '../client-address.ts';
import { OperationRegistry } from '../contract/operation-registry.ts';
import { type IdempotencyStore, registerIdempotency } from '../idempotency/index.ts';
import type { Surface } from '../surface.ts';
import { registerAccess } from './access-hook.ts';
import { registerDisconnectSignal } from './disconnect-signal.ts';
import { registerErrorHandler, sendError, toApiError } from './error-handler.ts';
import { registerCors, registerHeaders } from './headers.ts';
import { registerNotFound, type SpecialPath } from './not-found.ts';
import { requireOperator } from './require-operator.ts';
import { hasEmptyBody, registerSchemaRules } from './schema-rules.ts';
import { registerSpans } from './spans.ts';
import { checkParts, checkStorable, registerStorableCheck } from './storable-input.ts';
import { registerSystemRoutes, type SystemRoutes } from './system-routes.ts';
import { registerValidators } from './validators.ts';

export interface RestOptions extends Omit<SystemRoutes, 'operations' | 'requireOperator'> {
  readonly access: AccessControl;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly surfaces: readonly Surface[];
  readonly isProxy: ProxyTest;
  readonly special: readonly SpecialPath[];
  readonly tracing?: Tracing | undefined;
  readonly serverFactory?: FastifyServerFactory;
  readonly idempotencyStore: IdempotencyStore | undefined;
  readonly clock: Clock;
}

const JSON_LIMIT = 1024 * 1024;
/**
 * The limit equals that of a request line, so that an overlong id is answered as an unknown id and not as an unknown
 * route.
 */
const MAX_PARAMETER_LENGTH = 64 * 1024;
/** The plan limits the size of files, at the place that reads them. */
const FORM_LIMITS = {
  fieldNameSize: 100,
  fieldSize: 64 * 1024,
  fields: 50,
  files: 10,
  parts: 60,
  headerPairs: 50,
};

export interface Rest {
  readonly app: FastifyInstance;
  readonly operations: OperationRegistry;
  abortRequests(): void;
}

export async function createRest(options: RestOptions): Promise<Rest> {
  const operations = new OperationRegistry();
  const app = createFastify(options);
  readJsonStrictly(app);
  registerValidators(app);
  registerIdempotency(app, options);
  registerSchemaRules(app);
  operations.collectFrom(app);
  app.addHook('onRequest', async ({ raw }) =>
    foldForwarded(raw.headers, raw.socket.remoteAddress ?? '', options.isProxy),
  );
  registerStorableCheck(app);
  registerHeaders(app, { secure: options.baseUrl().startsWith('https:') });
  const abortRequests = registerDisconnectSignal(app);
  if (options.tracing) registerSpans(app, options.tracing);
  registerDrainGate(app, options);
  registerCors(app, options.access);
  registerAccess(app, options.access);
  registerTimings(app, options.metrics);
  const unknown = registerNotFound(app, options);
  registerErrorHandler(app, { ...options, unknown });
  await app.register(multipart, { limits: FORM_LIMITS, throwFileSizeLimit: false });
  registerSystemRoutes(app, {
    ...options,
    operations,
    requireOperator: requireOperator(options.access),
  });
  for (const surface of options.surfaces) {
    operations.surface = surface.name;
    operations.events.push(...(surface.events ?? []));
    await app.register(async (scope) => surface.routes?.(scope));
  }
  await app.ready();
  return { app, operations, abortRequests };
}

function createFastify(options: RestOptions): FastifyInstance {
  return Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: () => newId('req'),
    bodyLimit: JSON_LIMIT,
    trustProxy: (address: string) => options.isProxy(address),
    forceCloseConnections: true,
    ...(options.serverFactory ? { serverFactory: options.serverFactory } : {}),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => {
      sendError(request, reply as never, toApiError(error, options.log), options.baseUrl());
    },
  }) as unknown as FastifyInstance;
}

/** An empty body counts as absent, because some clients always send a Content-Type. */
function readJsonStrictly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      checkParts(body as string);
    } catch (refusal) {
      return done(refusal as Error);
    }
    parse(request, body as string, (error, value?: unknown) => {
      if (error) return done(error);
      try {
        checkStorable(value, body as string);
      } catch (refusal) {
        return done(refusal as Error);
      }
      done(null, value);
    });
  });
  // An empty body counts as absent whatever its type.
  app.addContentTypeParser('*', (request, payload, done) => {
    if (request.routeOptions.config.bytes !== undefined) return done(null, payload);
    if (hasEmptyBody(request.headers)) done(null, undefined);
    else
      done(
        new ApiError(
          'unsupported_media_type',
          'The Content-Type of the request is not supported by this route.',
        ),
      );
  });
}

function registerDrainGate(app: FastifyInstance, { draining }: RestOptions): void {
  app.addHook('onRequest', async (request) => {
    if (draining() && !request.routeOptions.config.whileDraining && !request.is404) {
      throw new ApiError(
        'unavailable',
        'The server is shutting down. Send the request again after a few seconds.',
        { retryAfter: 5 },
      );
    }
  });
}

function registerTimings(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.request(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
    request.log.info(
      { route, method: request.method, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'request',
    );
  });
}
