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
      summary: 'The directions that this server can dub now, and how',
      description:
        'Every door is tried when the server starts and from time to time; one that fails is listed no more.',
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
    schema: { summary: 'Dubs, newest first', tags, querystring: DubQuery, response: { 200: DubPage } },
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
    schema: { summary: 'A dub and how far it is', tags, params: Id, response: { 200: Dub } },
    handler: (request) => jobs.get(request.tenantScope(), request.params.id),
  });
  app.delete<{ Params: Id }>('/v1/dub/:id', {
    config: { access: ACCESS, errors: ['legal_hold'] },
    schema: { summary: 'Remove a dub and all of its files', tags, params: Id, response: { 200: Deleted } },
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
      summary: 'What was said, what is said instead, and how that fits',
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
      summary: 'Change what is said, or by whom',
      description:
        'All changes or none. A new `text` is translated anew unless its `translation` comes with it. What is changed is spoken by the next render; the other segments keep their sound to the bit.',
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
      summary: 'Speak what was changed, and mix all of it anew',
      description: 'A dub that ended in error goes on where it stopped. What is spoken anew is billed.',
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
