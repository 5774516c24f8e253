import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { ToolBody as Body, Tool as StoredTool, ToolFields } from '../../../conversation/agents/index.ts';
import { type ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { AgentsDeps } from './index.ts';
import { Tool, ToolBody, ToolDeleted, ToolList, ToolParams, ToolPatch } from './tool-schemas.ts';

const tags = ['Agents'];
const config = { access: { kind: 'key', scope: 'omni:session' } } as const;
const HIDDEN = '[secret]';

type Params = { Params: Static<typeof ToolParams> };

const notFound = (): ApiError => new NoSuchError('tool');

function toolIdOf({ tool_id: id }: Static<typeof ToolParams>): string {
  if (!isId('tool', id)) throw notFound();
  return id;
}

const showTool = ({ id, fields, createdAt, updatedAt }: StoredTool) => ({
  id,
  object: 'tool' as const,
  ...fields,
  headers: Object.fromEntries(Object.keys(fields.headers).map((name) => [name, HIDDEN])),
  created_at: createdAt,
  updated_at: updatedAt,
});

export function toolRoutes(app: FastifyInstance, { editing }: AgentsDeps): void {
  app.get<{ Querystring: PageQuery }>('/v1/tools', {
    config,
    schema: {
      summary: 'List tools, newest first',
      tags,
      querystring: PageQuery,
      response: { 200: ToolList },
    },
    handler: async (request) => {
      const rows = await editing.store.list(request.tenantScope(), request.query, pageStart(request.query));
      return pageOf(rows, request.query, ({ createdAt, id }) => ({ createdAt, id }), showTool);
    },
  });

  app.post<{ Body: Body }>('/v1/tools', {
    config: { ...config, idempotent: 'optional' },
    schema: { summary: 'Create a tool', tags, body: ToolBody, response: { 201: Tool } },
    handler: async (request, reply) => {
      const view = await request.once(async (keep) =>
        showTool(
          await editing.create(request.tenantScope(), request.body, request.doer(), (trx, made) =>
            keep(trx, showTool(made)),
          ),
        ),
      );
      return reply.code(201).send(view);
    },
  });

  app.get<Params>('/v1/tools/:tool_id', {
    config,
    schema: { summary: 'Retrieve a tool', tags, params: ToolParams, response: { 200: Tool } },
    handler: async (request) =>
      showTool(await editing.store.get(request.tenantScope(), toolIdOf(request.params))),
  });

  app.put<Params & { Body: Body }>('/v1/tools/:tool_id', {
    config,
    schema: {
      summary: 'Replace a tool; omitted fields are reset to their defaults',
      tags,
      params: ToolParams,
      body: ToolBody,
      response: { 200: Tool },
    },
    handler: async (request) =>
      showTool(
        await editing.replace(request.tenantScope(), toolIdOf(request.params), request.body, request.doer()),
      ),
  });

  app.patch<Params & { Body: Partial<ToolFields> }>('/v1/tools/:tool_id', {
    config,
    schema: {
      summary: 'Update a tool',
      description: 'Omitted fields are unchanged. If `headers` is set, it replaces all existing headers.',
      tags,
      params: ToolParams,
      body: ToolPatch,
      response: { 200: Tool },
    },
    handler: async (request) =>
      showTool(
        await editing.patch(request.tenantScope(), toolIdOf(request.params), request.body, request.doer()),
      ),
  });

  app.delete<Params>('/v1/tools/:tool_id', {
    config,
    schema: {
      summary: 'Delete a tool; agents that reference it continue without it',
      tags,
      params: ToolParams,
      response: { 200: ToolDeleted },
    },
    handler: async (request) => {
      const id = toolIdOf(request.params);
      if (!(await editing.store.delete(request.tenantScope(), id, request.doer()))) throw notFound();
      return { id, object: 'tool' as const, deleted: true as const };
    },
  });
}
