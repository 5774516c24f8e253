import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type AccessService, type Invitation, type Member, ROLES } from '../../../foundation/access/index.ts';
import { mergePatchOf } from '../../../foundation/platform/merge-patch.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import { Nullable, ProjectView, showProject } from './schemas.ts';

const Role = Type.Enum([...ROLES]);
const ProjectIds = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: 200,
  description:
    'The projects that an analyst or developer can access. Owners and admins can access all projects.',
});
const Params = Type.Object({ id: Type.String({ maxLength: 64 }) });
type Params = Static<typeof Params>;

const MemberView = Type.Object({
  object: Type.Literal('member'),
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Role,
  project_ids: Nullable(
    Type.Array(Type.String(), { description: 'The accessible projects; null means all projects.' }),
  ),
  created_at: Type.Integer(),
  email_verified: Type.Boolean({
    description: 'Whether the user has confirmed that they receive email at this address.',
  }),
});

const InvitationView = Type.Object({
  object: Type.Literal('invitation'),
  id: Type.String(),
  email: Type.String(),
  role: Role,
  project_ids: Nullable(Type.Array(Type.String())),
  created_at: Type.Integer(),
  expires_at: Type.Integer(),
});

const IssuedInvitation = Type.Object({
  ...InvitationView.properties,
  url: Nullable(
    Type.String({
      description:
        'The link with which the invited user joins; it is returned only in this response. Null if the link was sent by email.',
    }),
  ),
});

const all = <T extends typeof MemberView | typeof InvitationView | typeof ProjectView>(item: T) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(item), next_cursor: Nullable(Type.String()) });

const Deleted = (object: string) =>
  Type.Object({ id: Type.String(), object: Type.Literal(object), deleted: Type.Literal(true) });

const MemberChange = mergePatchOf({ role: Role, project_ids: ProjectIds }, ['role']);
type MemberChange = Static<typeof MemberChange>;

const NewInvitation = Type.Object({
  email: Type.String({ format: 'email', maxLength: 320 }),
  role: Role,
  project_ids: Type.Optional(ProjectIds),
});
type NewInvitation = Static<typeof NewInvitation>;

const NewProject = Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) });
type NewProject = Static<typeof NewProject>;

const showMember = (member: Member) => ({
  object: 'member' as const,
  id: member.id,
  email: member.email,
  name: member.name,
  role: member.role,
  project_ids: member.projectIds === null ? null : [...member.projectIds],
  created_at: member.createdAt,
  email_verified: member.emailVerified,
});

const showInvitation = (invitation: Invitation) => ({
  object: 'invitation' as const,
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  project_ids: invitation.projectIds === null ? null : [...invitation.projectIds],
  created_at: invitation.createdAt,
  expires_at: invitation.expiresAt,
});

const idOf = ({ id }: { readonly id: string }): string => id;

const PERSON = { access: { kind: 'user' } } as const;
const ADMIN = { access: { kind: 'user', role: 'admin' } } as const;
const tags = ['Members'];

export function peopleRoutes(app: FastifyInstance, access: AccessService, baseUrl: () => string): void {
  memberRoutes(app, access);
  invitationRoutes(app, access, baseUrl);
  projectRoutes(app, access);
}

function memberRoutes(app: FastifyInstance, access: AccessService): void {
  app.get<{ Querystring: WholeQuery }>(
    '/v1/members',
    {
      config: PERSON,
      schema: {
        summary: 'List the members of the organization',
        tags,
        querystring: WholeQuery,
        response: { 200: all(MemberView) },
      },
    },
    async (request) => {
      const members = await access.members.list(request.caller().orgId);
      return pageOfWhole(members, request.query, idOf, showMember);
    },
  );
  app.patch<{ Params: Params; Body: MemberChange }>(
    '/v1/members/:id',
    {
      config: { ...ADMIN, errors: ['last_owner'] },
      schema: {
        summary: 'Update the role and projects of a member',
        tags,
        params: Params,
        body: MemberChange,
        response: { 200: MemberView },
      },
    },
    async (request) => {
      const { role, project_ids: projects } = request.body;
      const { id } = request.params;
      const projectIds = projects === null ? [] : projects;
      return showMember(
        await access.members.change(request.caller(), id, { role, projectIds }, request.doer()),
      );
    },
  );
  app.delete<{ Params: Params }>(
    '/v1/members/:id',
    {
      config: { ...ADMIN, errors: ['last_owner'] },
      schema: {
        summary:
          'Remove a member from the organization and end their sessions; API keys they created stay valid',
        tags,
        params: Params,
        response: { 200: Deleted('member') },
      },
    },
    async (request) => {
      await access.members.remove(request.caller(), request.params.id, request.doer());
      return { id: request.params.id, object: 'member' as const, deleted: true as const };
    },
  );
}

function invitationRoutes(app: FastifyInstance, access: AccessService, baseUrl: () => string): void {
  app.post<{ Body: NewInvitation }>(
    '/v1/members/invitations',
    {
      config: { ...ADMIN, errors: ['email_taken', 'not_found', 'rate_limit_exceeded'] },
      schema: {
        summary: 'Create an invitation; its link is valid for one week and can be used once',
        description:
          'An organization can create 20 invitations a day, and an address can be invited three times a day. The response does not reveal whether the address has an account elsewhere.',
        tags,
        body: NewInvitation,
        response: { 201: IssuedInvitation },
      },
    },
    async (request, reply) => {
      const { email, role, project_ids: projectIds = [] } = request.body;
      const wanted = { email, role, projectIds };
      const { invitation, token } = await access.invitations.invite(request.caller(), wanted, request.doer());
      reply.code(201).header('cache-control', 'no-store');
      const url = token === null ? null : `${baseUrl()}/auth/invitations/${token}`;
      return { ...showInvitation(invitation), url };
    },
  );
  app.get<{ Querystring: WholeQuery }>(
    '/v1/members/invitations',
    {
      config: ADMIN,
      schema: {
        summary: 'List open invitations',
        tags,
        querystring: WholeQuery,
        response: { 200: all(InvitationView) },
      },
    },
    async (request) => {
      const invitations = await access.invitations.list(request.caller().orgId);
      return pageOfWhole(invitations, request.query, idOf, showInvitation);
    },
  );
  app.delete<{ Params: Params }>(
    '/v1/members/invitations/:id',
    {
      config: ADMIN,
      schema: {
        summary: 'Revoke an invitation',
        tags,
        params: Params,
        response: { 200: Deleted('invitation') },
      },
    },
    async (request) => {
      const { id } = request.params;
      await access.invitations.withdraw(request.caller().orgId, id, request.doer());
      return { id, object: 'invitation' as const, deleted: true as const };
    },
  );
}

function projectRoutes(app: FastifyInstance, access: AccessService): void {
  app.get<{ Querystring: WholeQuery }>(
    '/v1/projects',
    {
      config: PERSON,
      schema: {
        summary: 'List the projects that the user can access, oldest first',
        tags: ['Projects'],
        querystring: WholeQuery,
        response: { 200: all(ProjectView) },
      },
    },
    async (request) => {
      const projects = await access.projects.list(request.caller());
      return pageOfWhole(projects, request.query, idOf, showProject);
    },
  );
  app.post<{ Body: NewProject }>(
    '/v1/projects',
    {
      config: ADMIN,
      schema: {
        summary: 'Create a project; its keys’ data is isolated from other projects',
        tags: ['Projects'],
        body: NewProject,
        response: { 201: ProjectView },
      },
    },
    async (request, reply) => {
      const { orgId } = request.caller();
      const project = await access.projects.create(orgId, request.body.name, request.doer());
      reply.code(201);
      return showProject(project);
    },
  );
}
