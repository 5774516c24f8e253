import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { CastProjectRow } from '../../../foundation/storage/tables/cast.ts';
import {
  AUDIO_FORMATS,
  BODY_BYTES,
  CAPTION_FORMATS,
  type CastService,
  CEILING_DBTP,
  CONTROLS,
  EMOTIONS,
  EMPHASIS_MARK,
  FORMATS,
  LIMITS,
  lineView,
  projectOf,
  projectView,
} from '../../../products/cast/index.ts';
import {
  Capabilities,
  DirectBody,
  deletedOf,
  Line,
  LineBody,
  LineParams,
  ListQuery,
  NewProject,
  Project,
  ProjectChange,
  ProjectList,
  ProjectParams,
} from './schemas.ts';

export const tags = ['Cast'];
export const SPEAK = { access: { kind: 'key', scope: 'speak:synthesize' } } as const;
const WRITING = [
  'unsupported_voice',
  'unsupported_language',
  'unsupported_emotion',
  'input_too_long',
  'payload_too_large',
] as const;

export function projectRoutes(app: FastifyInstance, service: CastService): void {
  capabilityRoutes(app, service);
  collectionRoutes(app, service);
  itemRoutes(app, service);
  lineRoutes(app, service);
}

function capabilityRoutes(app: FastifyInstance, service: CastService): void {
  app.get('/v1/cast', {
    config: { access: { kind: 'key' } },
    schema: {
      summary: 'Get the URLs of the Cast resources',
      tags,
      response: {
        200: Type.Object({
          object: Type.Literal('cast'),
          capabilities: Type.String(),
          projects: Type.String(),
        }),
      },
    },
    handler: async () => ({
      object: 'cast' as const,
      capabilities: '/v1/cast/capabilities',
      projects: '/v1/cast/projects',
    }),
  });
  app.get('/v1/cast/capabilities', {
    config: { access: { kind: 'key' } },
    schema: {
      summary: 'Get the capabilities of Cast: voices, controls, formats and limits',
      description: 'Anything not listed here is rejected.',
      tags,
      response: { 200: Capabilities },
    },
    handler: async (request) => ({
      object: 'cast.capabilities' as const,
      voices: (await service.voices.list(request.tenantScope())).map((voice) => ({
        ...voice,
        emotions: [...voice.emotions],
        aliases: [...voice.aliases],
      })),
      controls: CONTROLS,
      emotions: [...EMOTIONS],
      pause_mark: '[pause 500ms]',
      emphasis_mark: EMPHASIS_MARK,
      script_formats: [...FORMATS],
      audio_formats: [...AUDIO_FORMATS],
      caption_formats: [...CAPTION_FORMATS],
      loudness: { default_lufs: -16, true_peak_dbtp: CEILING_DBTP },
      direction: service.director.hasModel ? (['model', 'rules'] as const) : (['rules'] as const),
      limits: LIMITS,
    }),
  });
}

function collectionRoutes(app: FastifyInstance, service: CastService): void {
  app.post<{ Body: NewProject }>('/v1/cast/projects', {
    bodyLimit: BODY_BYTES,
    config: { ...SPEAK, idempotent: 'optional', errors: [...WRITING] },
    schema: {
      summary: 'Create a project from a script or from lines',
      description:
        'Speakers without a voice are assigned one that differs from those of the other speakers. `warnings` lists parts of the script that were not interpreted as written.',
      tags,
      body: NewProject,
      response: { 201: Project },
    },
    handler: async (request, reply) => {
      const made = await request.once(async (keep) => {
        const { project, lines } = await service.projects.create(
          request.tenantScope(),
          request.body as never,
          (trx, whole) => keep(trx, projectView(whole.project, whole.lines)),
        );
        return projectView(project, lines);
      });
      return reply.code(201).send(made);
    },
  });

  app.get<{ Querystring: PageQuery }>('/v1/cast/projects', {
    config: SPEAK,
    schema: {
      summary: 'List projects without their lines, newest first',
      tags,
      querystring: ListQuery,
      response: { 200: ProjectList },
    },
    handler: async (request) => {
      const rows = await service.projects.list(
        request.tenantScope(),
        request.query,
        pageStart(request.query),
      );
      const end = (row: CastProjectRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, request.query, end, (row) => projectView(projectOf(row)));
    },
  });
}

function itemRoutes(app: FastifyInstance, service: CastService): void {
  app.get<{ Params: ProjectParams }>('/v1/cast/projects/:id', {
    config: SPEAK,
    schema: {
      summary: 'Retrieve a project with its lines',
      tags,
      params: ProjectParams,
      response: { 200: Project },
    },
    handler: async (request) => {
      const { project, lines } = await service.projects.get(request.tenantScope(), request.params.id);
      return projectView(project, lines);
    },
  });

  app.patch<{ Params: ProjectParams; Body: ProjectChange }>('/v1/cast/projects/:id', {
    bodyLimit: BODY_BYTES,
    config: { ...SPEAK, errors: [...WRITING, 'version_conflict'] },
    schema: {
      summary: 'Update a project',
      description:
        'Omitted fields are unchanged; null clears a field. A new `script` or `lines` replaces all lines; a line that is unchanged keeps its ID, direction and take.',
      tags,
      params: ProjectParams,
      body: ProjectChange,
      response: { 200: Project },
    },
    handler: async (request) => {
      const { id } = request.params;
      const { project, lines } = await service.projects.change(
        request.tenantScope(),
        id,
        request.body as never,
      );
      return projectView(project, lines);
    },
  });

  app.delete<{ Params: ProjectParams }>('/v1/cast/projects/:id', {
    config: { ...SPEAK, errors: ['legal_hold'] },
    schema: {
      summary: 'Delete a project and all of its renders',
      tags,
      params: ProjectParams,
      response: { 200: deletedOf('cast.project') },
    },
    handler: async (request) => {
      const { id } = request.params;
      const scope = request.tenantScope();
      await service.projects.remove(scope, id, (trx) => service.renders.removeAll(trx, scope, id));
      return { id, object: 'cast.project' as const, deleted: true as const };
    },
  });
}

function lineRoutes(app: FastifyInstance, service: CastService): void {
  app.patch<{ Params: LineParams; Body: LineBody }>('/v1/cast/projects/:id/lines/:line_id', {
    config: { ...SPEAK, errors: [...WRITING, 'version_conflict'] },
    schema: {
      summary: 'Update a line: its text, speaker, direction or take',
      description:
        'Omitted fields are unchanged; null clears a field. The next render synthesizes only this line again.',
      tags,
      params: LineParams,
      body: LineBody,
      response: { 200: Line },
    },
    handler: async (request) => {
      const { id, line_id: line } = request.params;
      return lineView(
        await service.projects.changeLine(request.tenantScope(), id, line, request.body as never),
      );
    },
  });

  app.post<{ Params: ProjectParams; Body: DirectBody | undefined }>('/v1/cast/projects/:id/direct', {
    config: { ...SPEAK, errors: ['version_conflict'] },
    schema: {
      summary: 'Generate directions for lines that have none',
      description:
        'Uses the configured language model, or, without one, rules based on punctuation, speech acts and a lexicon; `directed_by` says which. Directions by a writer are kept, unless their line is listed in `lines`.',
      tags,
      params: ProjectParams,
      body: DirectBody,
      response: { 200: Project },
    },
    handler: async (request) => {
      const scope = request.tenantScope();
      const before = await service.projects.get(scope, request.params.id);
      const { lines: only, again = false } = request.body ?? {};
      const directed = await service.direct(
        scope,
        before,
        { ...(only === undefined ? {} : { only }), again },
        request.gone,
      );
      return projectView(directed.project, directed.lines);
    },
  });
}
