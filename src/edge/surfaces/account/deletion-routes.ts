import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccessService } from '../../../foundation/access/index.ts';
import type { AccountDeps } from './index.ts';
import { ProjectView, showProject } from './schemas.ts';

const Params = Type.Object({ id: Type.String({ maxLength: 64 }) });
type Params = Static<typeof Params>;

const Rename = Type.Object({ name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }) });
type Rename = Static<typeof Rename>;

const Organization = Type.Object({
  object: Type.Literal('organization'),
  id: Type.String(),
  name: Type.String(),
});

const Deleted = (object: string) =>
  Type.Object({ id: Type.String(), object: Type.Literal(object), deleted: Type.Literal(true) });

const OWNER = { kind: 'user', role: 'owner' } as const;
const ERASED =
  'Its API keys and sessions end immediately, and its calls, recordings, transcripts, documents and all other data are deleted. The audit log is kept. This cannot be undone.';

export function deletionRoutes(
  app: FastifyInstance,
  { access, expiry: { tenantDeletion } }: AccountDeps,
): void {
  app.patch<{ Body: Rename }>(
    '/v1/organization',
    {
      config: { access: OWNER },
      schema: {
        summary: 'Rename the organization',
        tags: ['Members'],
        body: Rename,
        response: { 200: Organization },
      },
    },
    async (request) => {
      const { orgId } = request.caller();
      const renamed = await access.accounts.rename(orgId, request.body.name, request.doer());
      return { object: 'organization' as const, ...renamed };
    },
  );
  app.delete(
    '/v1/organization',
    {
      config: { access: OWNER, errors: ['legal_hold'] },
      schema: {
        summary: 'Delete the organization, its projects and its members’ accounts',
        description: ERASED,
        tags: ['Members'],
        response: { 200: Deleted('organization') },
      },
    },
    async (request, reply) => {
      const { orgId } = request.caller();
      await tenantDeletion.requireNoLegalHold(orgId, null);
      await access.deactivation.deactivateOrganization(orgId, request.doer());
      await tenantDeletion.deleteOrganization(orgId);
      reply.header('set-cookie', access.cookieFor('', 0));
      return { id: orgId, object: 'organization' as const, deleted: true as const };
    },
  );
  projectRoutes(app, access, tenantDeletion);
  accountRoute(app, access);
}

function projectRoutes(
  app: FastifyInstance,
  access: AccessService,
  tenantDeletion: AccountDeps['expiry']['tenantDeletion'],
): void {
  app.patch<{ Params: Params; Body: Rename }>(
    '/v1/projects/:id',
    {
      config: { access: OWNER, errors: ['not_found'] },
      schema: {
        summary: 'Rename a project',
        tags: ['Projects'],
        params: Params,
        body: Rename,
        response: { 200: ProjectView },
      },
    },
    async (request) => {
      const { orgId } = request.caller();
      const { name } = request.body;
      return showProject(await access.projects.rename(orgId, request.params.id, name, request.doer()));
    },
  );
  app.delete<{ Params: Params }>(
    '/v1/projects/:id',
    {
      config: { access: OWNER, errors: ['not_found', 'last_project', 'project_in_use', 'legal_hold'] },
      schema: {
        summary: 'Delete a project and all of its data',
        description: `${ERASED} Usage remains on the invoices. Release the project’s phone numbers first.`,
        tags: ['Projects'],
        params: Params,
        response: { 200: Deleted('project') },
      },
    },
    async (request) => {
      const { orgId } = request.caller();
      const { id } = request.params;
      await tenantDeletion.requireNoLegalHold(orgId, id);
      await access.deactivation.deactivateProject(orgId, id, request.doer());
      await tenantDeletion.deleteProject(orgId, id);
      return { id, object: 'project' as const, deleted: true as const };
    },
  );
}

function accountRoute(app: FastifyInstance, access: AccessService): void {
  app.delete(
    '/auth/account',
    {
      config: { access: { kind: 'user' }, errors: ['last_owner'] },
      schema: {
        summary: 'Delete your own account',
        description:
          'Ends your sessions. API keys that you created stay valid and belong to the organization. The last owner must first make another member an owner, or delete the organization.',
        tags: ['Accounts'],
        response: { 200: Deleted('user') },
      },
    },
    async (request, reply) => {
      const id = await access.members.leave(request.caller(), request.doer());
      reply.header('set-cookie', access.cookieFor('', 0));
      return { id, object: 'user' as const, deleted: true as const };
    },
  );
}
