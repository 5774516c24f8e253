import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { Blobs } from '../../../foundation/storage/index.ts';
import { type DubService, fileKey } from '../../../products/dub/index.ts';
import { sendRange } from '../../server/surface.ts';
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

export function fileRoutes(app: FastifyInstance, { jobs }: DubService, blobs: Blobs): void {
  app.get<{ Params: Id }>('/v1/dub/:id/download', {
    config: { access: ACCESS, errors: ['dub_not_ready', 'range_not_satisfiable'] },
    schema: {
      summary: 'The dubbed file, or a range of its bytes',
      tags,
      params: Id,
      headers: Type.Object({
        range: Type.Optional(Type.String({ description: '`bytes=0-1023`: one range' })),
      }),
      response: { 200: file('The file'), 206: file('A range of it') },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const output = await jobs.output(request.tenantScope(), id);
      return await sendRange(request, reply, {
        bytes: output.bytes,
        headers: {
          'content-type': output.content_type,
          'content-disposition': `attachment; filename="${id}.${output.extension}"`,
        },
        open: async (range) => {
          const body = await blobs.get(fileKey(id, output.name), range ?? undefined);
          if (!body) throw new ApiError('dub_not_ready', 'There is nothing to download. It was removed.');
          return body.stream;
        },
      });
    },
  });
  app.get<{ Params: Id; Querystring: CaptionQuery }>('/v1/dub/:id/captions', {
    config: { access: ACCESS, errors: ['dub_not_ready'] },
    schema: {
      summary: 'Captions in the source or the target language',
      description:
        'Those of the target follow what is heard, not what was translated: they stand when it is said.',
      tags,
      params: Id,
      querystring: CaptionQuery,
      response: {
        200: {
          description: 'WebVTT or SubRip',
          content: {
            'text/vtt': { schema: { type: 'string' } },
            'application/x-subrip': { schema: { type: 'string' } },
          },
        },
      },
    },
    handler: async (request, reply) => {
      const { language, format = 'vtt' } = request.query;
      const text = await jobs.captions(request.tenantScope(), request.params.id, language, format);
      return reply.type(format === 'vtt' ? 'text/vtt; charset=utf-8' : 'application/x-subrip').send(text);
    },
  });
}
