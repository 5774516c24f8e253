import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccessService } from '../../../foundation/access/index.ts';

const KeyScopeBody = Type.Object({
  project_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'The person’s first project by default.' }),
  ),
  environment: Type.Enum(['live', 'sandbox']),
});
type KeyScopeBody = Static<typeof KeyScopeBody>;

const SessionKey = Type.Object({
  object: Type.Literal('session_key'),
  api_key: Type.String({
    description:
      'The API key. The same session always gets the same key for the same project and environment.',
  }),
  project_id: Type.String(),
  environment: Type.Enum(['live', 'sandbox']),
  scopes: Type.Array(Type.String()),
  expires_at: Type.Integer({
    description: 'When the key expires, at most one hour from now; a repeated request extends it.',
  }),
});

export function sessionKeyRoutes(app: FastifyInstance, access: AccessService): void {
  app.post<{ Body: KeyScopeBody }>(
    '/auth/session/key',
    {
      config: { access: { kind: 'user' }, errors: ['not_found'] },
      schema: {
        summary: 'Create or extend the API key with which the pages of a signed-in user call the API',
        description:
          'The key has the scopes of the user’s role, is valid for at most one hour, ends with the session and does not appear in the list of API keys.',
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
