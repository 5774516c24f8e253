import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { CastRenderRow } from '../../../foundation/storage/tables/cast.ts';
import {
  type CastService,
  type RenderRequest,
  renderReservationId,
  renderView,
} from '../../../products/cast/index.ts';
import { sendRange } from '../../server/surface.ts';
import { SPEAK, tags } from './project-routes.ts';
import {
  AudioQuery,
  CaptionQuery,
  deletedOf,
  ProjectParams,
  Render,
  RenderBody,
  RenderList,
  RenderParams,
  RenderQuery,
} from './schemas.ts';

const DEFAULT_LUFS = -16;
const DEFAULT_ROOM_TONE = -66;

const renderOptionsOf = (body: RenderBody | undefined): RenderRequest => ({
  format: body?.format ?? 'mp3',
  stems: body?.stems ?? false,
  loudness_lufs: body?.loudness_lufs ?? DEFAULT_LUFS,
  room_tone_dbfs: body?.room_tone_dbfs === undefined ? DEFAULT_ROOM_TONE : body.room_tone_dbfs,
});

export function renderRoutes(app: FastifyInstance, service: CastService): void {
  submitRoute(app, service);
  readRoutes(app, service);
  cancelRoutes(app, service);
  fileRoutes(app, service);
}

function submitRoute(app: FastifyInstance, service: CastService): void {
  app.post<{ Params: ProjectParams; Body: RenderBody | undefined }>('/v1/cast/projects/:id/renders', {
    config: {
      ...SPEAK,
      meters: true,
      idempotent: 'optional',
      errors: ['unsupported_voice', 'unavailable', 'payload_too_large'],
    },
    schema: {
      summary: 'Render the current state of a project',
      description:
        'Poll the render until its status is `completed`, `failed` or `cancelled`. Lines that are unchanged since an earlier render are reused and not billed again.',
      tags,
      params: ProjectParams,
      body: RenderBody,
      response: { 201: Render },
    },
    handler: async (request, reply) => {
      const made = await request.once(async (keep) => {
        const row = await submitRender(request, service, (trx, view) => keep(trx, view));
        return renderView(row);
      });
      return reply.code(201).send(made);
    },
  });
}

async function submitRender(
  request: FastifyRequest<{ Params: ProjectParams; Body: RenderBody | undefined }>,
  { projects, renders }: CastService,
  keep: (trx: never, view: ReturnType<typeof renderView>) => Promise<void>,
): Promise<CastRenderRow> {
  const scope = request.tenantScope();
  const wanted = renderOptionsOf(request.body);
  const whole = await projects.get(scope, request.params.id);
  const { seconds } = request.caller().limits.jobUpload;
  const { plan, milliseconds } = await renders.prepare(scope, whole, wanted, seconds);
  const id = renders.newId();
  const admission = await request.admit('cast.render', {
    milliseconds,
    reservationId: renderReservationId(id),
    resource: id,
  });
  const order = {
    id,
    castId: whole.project.id,
    principal: request.caller(),
    admission,
    request: wanted,
    plan,
  };
  return await renders.submit(order, (trx, row) => keep(trx as never, renderView(row)));
}

function readRoutes(app: FastifyInstance, { projects, renders }: CastService): void {
  app.get<{ Params: ProjectParams; Querystring: RenderQuery }>('/v1/cast/projects/:id/renders', {
    config: SPEAK,
    schema: {
      summary: 'List renders of a project, newest first',
      tags,
      params: ProjectParams,
      querystring: RenderQuery,
      response: { 200: RenderList },
    },
    handler: async (request) => {
      const scope = request.tenantScope();
      const { project } = await projects.get(scope, request.params.id);
      const rows = await renders.list(scope, project.id, request.query, pageStart(request.query));
      const end = (row: CastRenderRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, request.query, end, renderView);
    },
  });

  app.get<{ Params: RenderParams }>('/v1/cast/renders/:id', {
    config: SPEAK,
    schema: {
      summary: 'Retrieve a render with its progress and result',
      tags,
      params: RenderParams,
      response: { 200: Render },
    },
    handler: async (request) => renderView(await renders.get(request.tenantScope(), request.params.id)),
  });
}

function cancelRoutes(app: FastifyInstance, { renders }: CastService): void {
  app.post<{ Params: RenderParams }>('/v1/cast/renders/:id/cancel', {
    config: SPEAK,
    schema: {
      summary: 'Cancel a render',
      description:
        'A cancelled render is not billed, and the next render reuses the lines that were already synthesized. A render that has ended is unchanged.',
      tags,
      params: RenderParams,
      response: { 200: Render },
    },
    handler: async (request) => renderView(await renders.cancel(request.tenantScope(), request.params.id)),
  });

  app.delete<{ Params: RenderParams }>('/v1/cast/renders/:id', {
    config: { ...SPEAK, errors: ['legal_hold'] },
    schema: {
      summary: 'Delete a render and its audio',
      tags,
      params: RenderParams,
      response: { 200: deletedOf('cast.render') },
    },
    handler: async (request) => {
      const { id } = request.params;
      await renders.remove(request.tenantScope(), id);
      return { id, object: 'cast.render' as const, deleted: true as const };
    },
  });
}

const bytes = { schema: { type: 'string', format: 'binary' } };
const Audio = {
  description: 'The audio, in the format of the render.',
  content: { 'audio/mpeg': bytes, 'audio/wav': bytes, 'audio/flac': bytes, 'audio/ogg': bytes },
};
const text = { schema: { type: 'string' } };

function fileRoutes(app: FastifyInstance, { renders }: CastService): void {
  app.get<{ Params: RenderParams; Querystring: AudioQuery }>('/v1/cast/renders/:id/audio', {
    config: SPEAK,
    schema: {
      summary: 'Get the audio of a render, or of a single speaker',
      description: 'Supports `Range: bytes=`; a range outside of the file returns 416.',
      tags,
      params: RenderParams,
      querystring: AudioQuery,
      response: { 200: Audio, 206: Audio },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      return await sendAudio(
        request,
        reply,
        await renders.audio(request.tenantScope(), id, request.query.stem),
      );
    },
  });

  app.get<{ Params: RenderParams; Querystring: CaptionQuery }>('/v1/cast/renders/:id/captions', {
    config: SPEAK,
    schema: {
      summary: 'Get the captions of a render',
      tags,
      params: RenderParams,
      querystring: CaptionQuery,
      response: {
        200: { description: 'The captions.', content: { 'text/vtt': text, 'application/x-subrip': text } },
      },
    },
    handler: async (request, reply) => {
      const format = request.query.format ?? 'vtt';
      const captions = await renders.captions(request.tenantScope(), request.params.id, format);
      const type = format === 'vtt' ? 'text/vtt' : 'application/x-subrip';
      return reply.type(`${type}; charset=utf-8`).send(captions);
    },
  });
}

async function sendAudio(
  request: FastifyRequest,
  reply: FastifyReply,
  audio: Awaited<ReturnType<CastService['renders']['audio']>>,
): Promise<FastifyReply> {
  return await sendRange(request, reply, {
    bytes: audio.bytes,
    headers: { 'content-type': audio.contentType },
    open: async (range) => (await audio.open(range ?? undefined)).stream,
  });
}
