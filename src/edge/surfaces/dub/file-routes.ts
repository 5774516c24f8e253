import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { DubClient } from './dub-client.ts';
import { Id } from './routes.ts';
import { CaptionQuery } from './schemas.ts';
import { ACCESS } from './submit-routes.ts';

const tags = ['Dub'];
const bytes = { schema: { type: 'string', format: 'binary' } } as const;
const FILE_TYPES = [
  'audio/mpeg',
  'audio/wav',
  'audio/flac',
  'audio/ogg',
  'video/mp4',
  'video/x-matroska',
] as const;
const file = (description: string) => ({
  description,
  content: Object.fromEntries(FILE_TYPES.map((type) => [type, bytes])),
});

export function fileRoutes(app: FastifyInstance, client: DubClient): void {
  app.get<{ Params: Id }>('/v1/dub/:id/download', {
    config: { access: ACCESS, errors: ['dub_not_ready', 'range_not_satisfiable'] },
    schema: {
      summary: 'Download the dubbed file, or a range of its bytes',
      tags,
      params: Id,
      headers: Type.Object({
        range: Type.Optional(Type.String({ description: 'A single byte range, such as `bytes=0-1023`.' })),
      }),
      response: { 200: file('The file.'), 206: file('The requested byte range.') },
    },
    handler: async (request, reply) => {
      return await client.sendFile(request, reply, request.params.id);
    },
  });
  app.get<{ Params: Id; Querystring: CaptionQuery }>('/v1/dub/:id/captions', {
    config: { access: ACCESS, errors: ['dub_not_ready'] },
    schema: {
      summary: 'Get captions in the source or target language',
      description:
        'Captions in the target language are timed to the dubbed speech and contain the words that are spoken.',
      tags,
      params: Id,
      querystring: CaptionQuery,
      response: {
        200: {
          description: 'WebVTT or SubRip captions.',
          content: {
            'text/vtt': { schema: { type: 'string' } },
            'application/x-subrip': { schema: { type: 'string' } },
          },
        },
      },
    },
    handler: async (request, reply) => {
      const { language, format = 'vtt' } = request.query;
      const text = await client.jobs.captions(request.tenantScope(), request.params.id, language, format);
      return reply.type(format === 'vtt' ? 'text/vtt; charset=utf-8' : 'application/x-subrip').send(text);
    },
  });
}
