import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { type Installations, isSigned } from '../../../products/hosting/index.ts';
import type { Surface } from '../../server/surface.ts';

export interface HostingDeps {
  readonly installations: Installations;
  readonly partners: ReadonlyMap<string, string>;
}

const UNINSTALL_EVENTS = new Set([
  'integration-configuration.removed',
  'integration-configuration.transfer-completed',
]);
const Id = Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,200}$' });
const Partner = Type.Object({ hosting_partner: Type.String({ maxLength: 256 }) });
const Installation = Type.Object({
  object: Type.Literal('hosting.installation'),
  hosting_partner: Type.String(),
  configuration_id: Type.String(),
  key_id: Type.String(),
  created_at: Type.Integer(),
});

interface PartnerEvent {
  readonly type?: unknown;
  readonly payload?: { readonly configuration?: { readonly id?: unknown } };
}

export const createHostingSurface = (deps: HostingDeps): Surface => ({
  name: 'hosting',
  routes: async (app) => {
    await app.register(async (scope) => installationRoutes(scope, deps));
    await app.register(async (scope) => eventRoutes(scope, deps));
  },
});

function secretOf({ partners }: HostingDeps, name: string): string {
  const secret = partners.get(name);
  if (secret === undefined) throw new NoSuchError('hosting partner');
  return secret;
}

function installationRoutes(app: FastifyInstance, deps: HostingDeps): void {
  app.put<{ Params: Static<typeof Partner>; Body: { configuration_id: string } }>(
    '/v1/integrations/hosting/:hosting_partner/installation',
    {
      config: { access: { kind: 'key' } },
      schema: {
        summary: 'Bind the calling API key to an installation at a hosting partner',
        description: 'The key is revoked when the installation is removed or transferred to another team.',
        tags: ['Integrations'],
        params: Partner,
        body: Type.Object({ configuration_id: Id }, { additionalProperties: false }),
        response: { 200: Installation },
      },
      handler: async (request) => {
        const { hosting_partner: partner } = request.params;
        secretOf(deps, partner);
        const { configuration_id: configuration } = request.body;
        const keyId = request.caller().keyId as string;
        const created_at = await deps.installations.put(request.tenantScope(), partner, configuration, keyId);
        const object = 'hosting.installation' as const;
        return {
          object,
          hosting_partner: partner,
          configuration_id: configuration,
          key_id: keyId,
          created_at,
        };
      },
    },
  );
}

/** The signature covers the raw bytes, so no parser reads them before the check. */
function eventRoutes(app: FastifyInstance, deps: HostingDeps): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post<{ Params: Static<typeof Partner> }>('/auth/:hosting_partner/webhook', {
    config: {
      access: { kind: 'signed' },
      envelope: 'problem',
      errors: ['unauthorized', 'not_found'],
      bytes: {
        types: ['application/octet-stream'],
        description: 'The partner’s JSON event, signed in `x-{hosting_partner}-signature` over its bytes.',
      },
    },
    schema: {
      summary: 'Receive an event of a hosting partner about an installation',
      description: 'Removing or transferring an installation revokes its API key immediately.',
      tags: ['Integrations'],
      params: Partner,
      response: { 200: Type.Object({ received: Type.Literal(true) }) },
    },
    handler: async (request) => {
      const partner = request.params.hosting_partner;
      const configuration = installationEndedBy(verifyEvent(request, partner, secretOf(deps, partner)));
      if (configuration !== null) await deps.installations.end(partner, configuration);
      return { received: true as const };
    },
  });
}

function verifyEvent(request: FastifyRequest, partner: string, secret: string): PartnerEvent {
  const signature = request.headers[`x-${partner.toLowerCase()}-signature`];
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  if (typeof signature !== 'string' || !isSigned(bytes, signature, secret))
    throw new ApiError(
      'unauthorized',
      'The signature does not match the body; sign the exact bytes with the secret of the partner.',
    );
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as PartnerEvent;
  } catch (cause) {
    throw new ApiError('invalid_request', 'The body is not valid JSON.', { cause });
  }
}

function installationEndedBy(event: PartnerEvent | null): string | null {
  const type = event?.type;
  if (typeof type !== 'string') throw new ApiError('invalid_request', 'type is required.', { param: 'type' });
  if (!UNINSTALL_EVENTS.has(type)) return null;
  const id = event?.payload?.configuration?.id;
  if (typeof id !== 'string')
    throw new ApiError('invalid_request', 'The event has no installation.', {
      param: 'payload.configuration.id',
    });
  return id;
}
