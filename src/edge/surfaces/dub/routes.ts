import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { DubService } from '../../../products/dub/index.ts';
import type { VoiceCatalogue } from '../../../speech/voices/index.ts';
import { Deleted, Dub, DubPage, DubQuery, Health, SegmentChanges, Segments } from './schemas.ts';
import { checkVoices } from './submission.ts';
import { ACCESS } from './submit-routes.ts';

const tags = ['Dub'];
export const Id = Type.Object({ id: Type.String() });
export type Id = Static<typeof Id>;

export function healthRoute(app: FastifyInstance, { directions }: DubService): void {
  app.get('/healthz/dub', {
    config: { access: { kind: 'public' } },
    schema: {
      summary: 'List the available dubbing directions',
      description:
        'Every translation path is tested at server start and periodically afterwards; a path that fails is not listed.',
      tags,
      response: { 200: Health },
    },
    handler: async () => ({
      object: 'dub.directions' as const,
      directions: (await directions.list()).map(({ keepsGlossary, ...direction }) => ({
        ...direction,
        keeps_glossary: keepsGlossary,
      })),
    }),
  });
}

export function dubRoutes(app: FastifyInstance, { jobs }: DubService): void {
  app.get<{ Querystring: DubQuery }>('/v1/dub', {
    config: { access: ACCESS },
    schema: { summary: 'List dubs, newest first', tags, querystring: DubQuery, response: { 200: DubPage } },
    handler: async (request) => {
      const dubs = await jobs.list(request.tenantScope(), request.query, pageStart(request.query));
      return pageOf(
        dubs,
        request.query,
        (dub) => ({ createdAt: dub.created_at, id: dub.id }),
        (dub) => dub,
      );
    },
  });
  app.get<{ Params: Id }>('/v1/dub/:id', {
    config: { access: ACCESS },
    schema: { summary: 'Retrieve a dub and its status', tags, params: Id, response: { 200: Dub } },
    handler: (request) => jobs.get(request.tenantScope(), request.params.id),
  });
  app.delete<{ Params: Id }>('/v1/dub/:id', {
    config: { access: ACCESS, errors: ['legal_hold'] },
    schema: { summary: 'Delete a dub and all of its files', tags, params: Id, response: { 200: Deleted } },
    handler: async (request) => {
      const { id } = request.params;
      await jobs.remove(request.tenantScope(), id);
      return { id, object: 'dub' as const, deleted: true as const };
    },
  });
}

export function segmentRoutes(app: FastifyInstance, { jobs }: DubService, voices: VoiceCatalogue): void {
  app.get<{ Params: Id }>('/v1/dub/:id/segments', {
    config: { access: ACCESS },
    schema: {
      summary: 'List the segments of a dub with their original text, translation and timing',
      tags,
      params: Id,
      response: { 200: Segments },
    },
    handler: async (request) => ({
      object: 'list' as const,
      data: [...(await jobs.segments(request.tenantScope(), request.params.id))],
    }),
  });
  app.patch<{ Params: Id; Body: SegmentChanges }>('/v1/dub/:id/segments', {
    config: { access: ACCESS, errors: ['dub_not_ready', 'voice_not_found', 'voice_retired'] },
    schema: {
      summary: 'Update the text, translation or voice of segments',
      description:
        'Either all changes are applied or none. A new `text` is translated again, unless a `translation` is included. The next render synthesizes only changed segments; the audio of all other segments stays identical.',
      tags,
      params: Id,
      body: SegmentChanges,
      response: { 200: Segments },
    },
    handler: async (request) => {
      const { id } = request.params;
      const { target } = await jobs.get(request.tenantScope(), id);
      for (const { voice } of request.body.segments) {
        if (voice) await checkVoices(voices, request, voice, target);
      }
      return {
        object: 'list' as const,
        data: [...(await jobs.change(request.tenantScope(), id, request.body.segments))],
      };
    },
  });
  app.post<{ Params: Id }>('/v1/dub/:id/render', {
    config: { access: ACCESS, meters: true, errors: ['dub_not_ready'] },
    schema: {
      summary: 'Render a dub again with its changed segments',
      description: 'A dub that failed resumes where it stopped. Newly synthesized audio is billed.',
      tags,
      params: Id,
      response: { 202: Dub },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const milliseconds = await jobs.unspokenMs(request.tenantScope(), id);
      const hold = jobs.holdOfRender(id);
      const admission = await request.admit('dub.speech', {
        milliseconds,
        reservationId: hold,
        resource: id,
      });
      return reply.code(202).send(await jobs.render(request.tenantScope(), id, admission));
    },
  });
}
