import type { FastifyInstance, FastifyReply } from 'fastify';
import Type from 'typebox';
import { type DubRoom, fileKey } from '../../dub/index.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Blobs, ByteRange } from '../../storage/index.ts';
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

export function fileRoutes(app: FastifyInstance, { jobs }: DubRoom, blobs: Blobs): void {
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
      const output = await jobs.output(request.reach(), id);
      const range = rangeOf(request.headers.range, output.bytes);
      const body = await blobs.get(fileKey(id, output.name), range ?? undefined);
      if (!body) throw new ApiError('dub_not_ready', 'There is nothing to download. It was removed.');
      reply.type(output.content_type);
      reply.header('accept-ranges', 'bytes');
      reply.header('content-disposition', `attachment; filename="${id}.${output.extension}"`);
      return await sendBody(reply, body.stream, range, output.bytes);
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
      const text = await jobs.captions(request.reach(), request.params.id, language, format);
      return reply.type(format === 'vtt' ? 'text/vtt; charset=utf-8' : 'application/x-subrip').send(text);
    },
  });
}

type Body = NonNullable<Awaited<ReturnType<Blobs['get']>>>['stream'];

function sendBody(reply: FastifyReply, stream: Body, range: Required<ByteRange> | null, size: number) {
  if (range === null) return reply.header('content-length', size).send(stream);
  reply.code(206).header('content-range', `bytes ${range.first}-${range.last}/${size}`);
  return reply.header('content-length', range.last - range.first + 1).send(stream);
}

/** One range as RFC 9110 writes it; null: the whole, as for what is not understood or asks for several. */
export function rangeOf(header: string | undefined, size: number): Required<ByteRange> | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return null;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < first) return null;
  if (first >= size || (from === '' && Number(to) === 0)) {
    throw new ApiError('range_not_satisfiable', `The file has ${size} bytes.`, {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  return { first, last };
}
