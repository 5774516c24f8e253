import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Principal } from '../../../../foundation/access/contract.ts';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { newThing } from './events.ts';
import type { OpenAiDeps } from './index.ts';
import { AGENT_ID, settledBy, showSession } from './settings.ts';

export type MintToken = (
  principal: Principal,
  wanted: {
    readonly origin: string | null;
    readonly agentId: string | null;
    readonly ttlSeconds: number;
    readonly session?: object;
    readonly isGrant?: boolean;
  },
) => Promise<{ readonly token: string; readonly expiresAt: number }>;

/** OpenAI's keys live for up to two hours; here a browser token's limit of ten minutes applies. */
const TTL = { least: 10, most: 7200, default: 600 };
const MOST_TTL = 600;
const MOST_SESSION_CHARACTERS = 65_536;

const Body = Type.Object({
  expires_after: Type.Optional(
    Type.Object({
      anchor: Type.Optional(Type.Literal('created_at')),
      seconds: Type.Optional(
        Type.Integer({
          minimum: TTL.least,
          maximum: TTL.most,
          default: TTL.default,
          description: `Seconds until the key expires, limited to ${MOST_TTL}; \`expires_at\` contains the actual time.`,
        }),
      ),
    }),
  ),
  session: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The session configuration, as in `session.update`. The client can change it.',
      },
    ),
  ),
  origin: Type.Optional(
    Type.String({
      maxLength: 300,
      examples: ['https://www.example.com'],
      description:
        'The only web origin that can use the key. Defaults to every allowed web origin and all non-browser clients.',
    }),
  ),
});
type Body = Static<typeof Body>;

const Secret = Type.Object({
  value: Type.String({ description: 'The ephemeral key. Send it like an API key.' }),
  expires_at: Type.Integer({ description: 'Unix time in seconds.' }),
  session: Type.Object({}, { additionalProperties: true }),
});

export function clientSecretRoute(app: FastifyInstance, deps: OpenAiDeps): void {
  app.post<{ Body: Body }>(
    '/v1/realtime/client_secrets',
    {
      config: { access: { kind: 'key', scope: 'omni:session' }, errors: ['origin_not_allowed'] },
      schema: {
        summary: 'Create an ephemeral key that opens one session of `/v1/realtime`',
        tags: ['Omni'],
        body: Body,
        response: { 200: Secret },
      },
    },
    async (request, reply) => {
      const { expires_after: after, session = {}, origin = null } = request.body;
      const shown = settled(session);
      const { model } = session as { model?: unknown };
      const { token, expiresAt } = await deps.mintToken(request.caller(), {
        origin,
        agentId: typeof model === 'string' && AGENT_ID.test(model) ? model : null,
        ttlSeconds: Math.min(MOST_TTL, after?.seconds ?? TTL.default),
        session,
      });
      reply.header('cache-control', 'no-store');
      const seconds = Math.floor(expiresAt / 1000);
      return { value: `ek_${token}`, expires_at: seconds, session: shown(seconds) };
    },
  );
}

/** Throws ApiError for settings that the session would reject. */
function settled(session: object): (expiresAt: number) => object {
  if (JSON.stringify(session).length > MOST_SESSION_CHARACTERS)
    throw new ApiError('invalid_request', `session can have at most ${MOST_SESSION_CHARACTERS} characters.`, {
      param: 'session',
    });
  const { type, model } = session as { type?: unknown; model?: unknown };
  const settings = settledBy([session]);
  const kind = type === 'transcription' ? 'transcription' : 'realtime';
  const named = typeof model === 'string' ? model : 'svc-omni';
  return (expiresAt) => showSession(settings, { id: newThing('sess'), model: named, kind, expiresAt }, 'ga');
}
