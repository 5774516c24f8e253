import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccessService } from '../../../foundation/access/index.ts';

const KeyScopeBody = Type.Object({
  project_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'the person’s first project by default' }),
  ),
  environment: Type.Enum(['live', 'sandbox']),
});
type KeyScopeBody = Static<typeof KeyScopeBody>;

const SessionKey = Type.Object({
  object: Type.Literal('session_key'),
  api_key: Type.String({ description: 'the same at every asking of the session, for the same place' }),
  project_id: Type.String(),
  environment: Type.Enum(['live', 'sandbox']),
  scopes: Type.Array(Type.String()),
  expires_at: Type.Integer({ description: 'within the hour; asking again puts it off' }),
});

export function sessionKeyRoutes(app: FastifyInstance, access: AccessService): void {
  app.post<{ Body: KeyScopeBody }>(
    '/auth/session/key',
    {
      config: { access: { kind: 'user' }, errors: ['not_found'] },
      schema: {
        summary: 'The key with which a signed-in person’s pages call the API',
        description:
          'It has the scopes of the person’s role, lives for an hour at most, ends with the session, and stands in no list of keys.',
        tags: ['Accounts'],
        body: KeyScopeBody,
        response: { 200: SessionKey },
      },
    },
    async (request, reply) => {
      const key = await access.sessionKeys.open(request.caller(), request.body, request.doer());
      reply.header('cache-control', 'no-store');
      return {
        object: 'session_key' as const,
        api_key: key.text,
        project_id: key.projectId,
        environment: key.environment,
        scopes: [...key.scopes],
        expires_at: key.expiresAt,
      };
    },
  );
}
