import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccessService, Principal } from '../../../foundation/access/index.ts';
import type { Billing } from '../../../foundation/billing/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { QuotaBlobs } from '../../../foundation/storage/index.ts';
import { omni } from '../../../media/wire/index.ts';
import { Named, Nullable } from './schemas.ts';

const Identity = Type.Object({
  object: Type.Literal('identity'),
  org: Named,
  project: Named,
  key_id: Type.String(),
  environment: Type.Enum(['live', 'sandbox']),
  scopes: Type.Array(Type.String()),
  limits: Type.Object({
    rps: Type.Integer(),
    burst: Type.Integer(),
    concurrency: Type.Integer(),
    quota: Nullable(Type.Integer({ description: 'The monthly quota in units.' })),
    storage_bytes: Nullable(
      Type.Integer({ description: 'The maximum total size of stored files in bytes.' }),
    ),
  }),
  storage: Type.Object({
    used_bytes: Type.Integer({
      description: 'The size of stored files of this environment, including uploads in progress.',
    }),
  }),
  credit: Type.Object({
    balance_micros: Type.Integer(),
    held_micros: Type.Integer({ description: 'Credit reserved for running and queued work.' }),
    budget_micros: Nullable(Type.Integer()),
    daily_used: Type.Integer({
      description: 'Units (seconds of audio) used since 00:00 UTC; started units count in full.',
    }),
    daily_held: Type.Integer({ description: 'Units reserved for running and queued work.' }),
    daily_cap: Nullable(Type.Integer()),
  }),
});

const OriginsBody = Type.Object({
  origins: Type.Array(Type.String({ maxLength: 300 }), {
    maxItems: 50,
    examples: [['https://www.example.com']],
  }),
});
type OriginsBody = Static<typeof OriginsBody>;

const OriginsView = Type.Object({
  object: Type.Literal('omni.origins'),
  origins: Type.Array(Type.String()),
});

const TTL = { minimum: 30, maximum: 600, default: 120 };

const SessionBody = Type.Object({
  origin: Type.String({ maxLength: 300, examples: ['https://www.example.com'] }),
  agent_id: Type.Optional(Type.String()),
  ttl_s: Type.Optional(Type.Integer(TTL)),
  transport: Type.Optional(
    Type.Enum(['websocket', 'webrtc'], {
      default: 'websocket',
      description:
        'With `webrtc`, `url` accepts an SDP offer, and the offer determines the audio format instead of `format` and `rate`.',
    }),
  ),
  format: Type.Optional(Type.Literal('pcm16')),
  rate: Type.Optional(Type.Enum([8000, 16000, 24000])),
  configurable: Type.Optional(
    Type.Array(Type.Enum([...omni.CONFIGURABLE]), {
      uniqueItems: true,
      description:
        'The `configure` fields that the page may set. Defaults to only `meta` if `agent_id` is set, and to all fields otherwise.',
    }),
  ),
});
type SessionBody = Static<typeof SessionBody>;

const SessionView = Type.Object({
  object: Type.Literal('omni.session'),
  token: Type.String(),
  expires_at: Type.Integer(),
  url: Type.String(),
});

export interface IdentityDeps {
  readonly access: AccessService;
  readonly billing: Billing;
  readonly files: Pick<QuotaBlobs, 'used'>;
  readonly baseUrl: () => string;
  /** `off` states why this server offers no calls by WebRTC; it is null where it offers them. */
  readonly webrtc: { readonly off: string | null };
}

export function identityRoutes(app: FastifyInstance, deps: IdentityDeps): void {
  app.get(
    '/v1/me',
    {
      config: { access: { kind: 'key' } },
      schema: {
        summary: 'Get the identity and limits of the calling API key',
        tags: ['Identity'],
        response: { 200: Identity },
      },
    },
    async (request) => await identityOf(request.caller(), deps),
  );
  originRoutes(app, deps.access);
  app.post<{ Body: SessionBody }>(
    '/v1/omni/sessions',
    {
      config: {
        access: { kind: 'key', scope: 'omni:session' },
        errors: ['origin_not_allowed', 'invalid_agent_id'],
      },
      schema: {
        summary: 'Create a token with which a web page can open one session',
        tags: ['Omni'],
        body: SessionBody,
        response: { 201: SessionView },
      },
    },
    async (request, reply) => {
      const { origin, agent_id, ttl_s, configurable } = request.body;
      checkAgentId(agent_id);
      const url = urlOf(deps, request.body);
      const token = await deps.access.browserTokens.mint(request.caller(), {
        origin,
        agentId: agent_id ?? null,
        ttlSeconds: ttl_s ?? TTL.default,
        configurable: configurable ?? (agent_id === undefined ? null : ['meta']),
      });
      reply.code(201).header('cache-control', 'no-store');
      return {
        object: 'omni.session' as const,
        token: token.token,
        expires_at: token.expiresAt,
        url,
      };
    },
  );
}

function originRoutes(app: FastifyInstance, access: AccessService): void {
  const config = { access: { kind: 'user', role: 'developer' } } as const;
  const show = (origins: string[]) => ({ object: 'omni.origins' as const, origins });
  app.get(
    '/v1/omni/origins',
    {
      config,
      schema: {
        summary: 'Get the web origins that may use browser tokens',
        tags: ['Omni'],
        response: { 200: OriginsView },
      },
    },
    async (request) => show(await access.origins.list(request.caller().orgId)),
  );
  app.put<{ Body: OriginsBody }>(
    '/v1/omni/origins',
    {
      config,
      schema: {
        summary: 'Replace the web origins that may use browser tokens',
        tags: ['Omni'],
        body: OriginsBody,
        response: { 200: OriginsView },
      },
    },
    async (request) =>
      show(await access.origins.replace(request.caller().orgId, request.body.origins, request.doer())),
  );
}

const DEFAULT_RATE = 16_000;

function urlOf(
  { baseUrl, webrtc }: IdentityDeps,
  { transport, format, rate, agent_id }: SessionBody,
): string {
  if (transport !== 'webrtc') return sessionUrl(baseUrl(), rate ?? DEFAULT_RATE, agent_id);
  const param = format !== undefined ? 'format' : 'rate';
  if (format !== undefined || rate !== undefined)
    throw new ApiError(
      'invalid_request',
      `${param} is not allowed with WebRTC, where the SDP offer names the codec: leave it out`,
      {
        param,
      },
    );
  const { off } = webrtc;
  if (off !== null)
    throw new ApiError('unavailable', `this server does not serve WebRTC calls: ${off}`, { retryAfter: 60 });
  const query = agent_id === undefined ? '' : `?${new URLSearchParams({ agent_id })}`;
  return `${baseUrl()}/v1/omni/webrtc${query}`;
}

function sessionUrl(baseUrl: string, rate: number, agentId: string | undefined): string {
  const query = new URLSearchParams({ format: 'pcm16', rate: String(rate) });
  if (agentId !== undefined) query.set('agent_id', agentId);
  return `${baseUrl.replace(/^http/, 'ws')}/v1/omni?${query}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const MAX_AGENT_ID = 128;

function checkAgentId(agentId: string | undefined): void {
  if (agentId === undefined) return;
  if (agentId.length <= MAX_AGENT_ID && !CONTROL.test(agentId)) return;
  throw new ApiError(
    'invalid_agent_id',
    'agent_id can have at most 128 characters and no control characters.',
    {
      param: 'agent_id',
    },
  );
}

async function identityOf(principal: Principal, { access, billing, files }: IdentityDeps) {
  const { orgId, keyId, environment, limits } = principal;
  const query = { orgId, keyId };
  const [identity, used, live, stored] = await Promise.all([
    access.identity(principal),
    billing.creditStatus({ ...query, environment }),
    billing.creditStatus({ ...query, environment: 'live' }),
    files.used({ orgId, environment }),
  ]);
  return {
    object: 'identity' as const,
    org: identity.organization,
    project: identity.project,
    key_id: keyId as string,
    environment,
    scopes: [...principal.scopes],
    limits: {
      rps: limits.rps,
      burst: limits.burst,
      concurrency: limits.concurrency,
      quota: limits.quotaUnits,
      storage_bytes: limits.storageBytes,
    },
    storage: { used_bytes: stored },
    credit: {
      balance_micros: Number(live.balanceMicros),
      held_micros: Number(live.reservedMicros),
      budget_micros: identity.budgetMicros,
      daily_used: Math.ceil(used.dayMilliseconds / 1000),
      daily_held: Math.ceil(used.reservedMilliseconds / 1000),
      daily_cap: limits.dailyCapUnits,
    },
  };
}
