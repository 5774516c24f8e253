import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { AccessControl, Admission, RequestCredentials } from '../../../foundation/access/contract.ts';
import { auditActorOf, tenantScopeOf } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { authorizationOf } from '../listener/handshake.ts';

interface RequestAdmissions {
  over: boolean;
  readonly admissions: Admission[];
}

function checkAccessConfig(route: RouteOptions): void {
  if (route.config?.access === undefined) {
    throw new Error(`route ${String(route.method)} ${route.url} does not say config.access`);
  }
}

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

const apiKeyOf = (request: FastifyRequest): string | undefined =>
  header(request, 'x-api-key') ??
  (request.routeOptions.config.vendor === 'elevenlabs' ? header(request, 'xi-api-key') : undefined);

export const credentialsOfRequest = (request: FastifyRequest): RequestCredentials => ({
  authorization: authorizationOf(header(request, 'authorization'), request.routeOptions.config.vendor),
  apiKeyHeader: apiKeyOf(request),
  apiKeyQuery: undefined,
  protocols: [],
  cookie: header(request, 'cookie'),
  origin: header(request, 'origin'),
  host: header(request, 'host'),
  remoteAddress: request.ip,
});

/** Checks credential, origin, scope and rate limit before the body is read. */
export function registerAccess(app: FastifyInstance, access: AccessControl): void {
  app.addHook('onRoute', checkAccessConfig);
  app.decorateRequest('principal', null);
  app.decorateRequest('caller', function caller(this: FastifyRequest) {
    if (this.principal === null) throw new Error(`${this.routeOptions.url} is public: it has no caller`);
    return this.principal;
  });
  app.decorateRequest('tenantScope', function tenantScope(this: FastifyRequest) {
    return tenantScopeOf(this.caller());
  });
  app.decorateRequest('doer', function doer(this: FastifyRequest) {
    return auditActorOf(this.caller(), this.ip, this.id);
  });
  const held = new WeakMap<FastifyRequest, RequestAdmissions>();
  app.decorateRequest('admit', async function admit(this: FastifyRequest, use, options) {
    const admission = await access.admit(this.caller(), use, { realtime: false, ...options });
    const mine = held.get(this);
    // The client may have disconnected during admission.
    if (mine === undefined || mine.over) admission.release();
    else mine.admissions.push(admission);
    return admission;
  });

  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const requirement = request.routeOptions.config.access;
    if (requirement === undefined || request.is404) return;
    const mine: RequestAdmissions = { over: false, admissions: [] };
    held.set(request, mine);
    reply.raw.once('close', () => {
      mine.over = true;
      for (const admission of mine.admissions) admission.release();
    });
    const authorized = await access.authorize(credentialsOfRequest(request), requirement);
    request.principal = authorized.principal;
    reply.headers(authorized.headers);
    if (requirement.kind !== 'public' && requirement.kind !== 'signed' && authorized.principal === null) {
      throw new ApiError(
        'internal_error',
        'The credential could not be checked now. Send the request again after a few seconds.',
      );
    }
  });
}
