import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { MintToken } from '../openai/client-secret-route.ts';

const TTL = { least: 1, most: 3600, default: 30 };

const Body = Type.Object(
  {
    ttl_seconds: Type.Optional(Type.Integer({ minimum: TTL.least, maximum: TTL.most, default: TTL.default })),
  },
  { additionalProperties: true },
);

const Grant = Type.Object({
  access_token: Type.String({
    description: 'The token. Send it as `Authorization: Bearer` instead of the API key.',
  }),
  expires_in: Type.Integer({ description: 'Seconds until the token expires.' }),
});

export function grantRoute(app: FastifyInstance, mintToken: MintToken): void {
  app.post<{ Body: Static<typeof Body> | undefined }>('/deepgram/v1/auth/grant', {
    config: { access: { kind: 'key' }, vendor: 'deepgram' },
    schema: {
      summary: 'Create a temporary token, in Deepgram’s format',
      description:
        'The token is valid for any number of requests and connections to `listen`, `speak` and the voice agent, with the scopes of the API key that created it. Web pages must be on the organization’s list of allowed origins; programs are not restricted.',
      tags: ['Deepgram clients'],
      operationId: 'deepgram_grant',
      body: Body,
      response: { 200: Grant },
    },
    handler: async (request, reply) => {
      const ttlSeconds = request.body?.ttl_seconds ?? TTL.default;
      const wanted = { origin: null, agentId: null, ttlSeconds, isGrant: true };
      const { token } = await mintToken(request.caller(), wanted);
      reply.header('cache-control', 'no-store');
      return { access_token: token, expires_in: ttlSeconds };
    },
  });
}
