import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import type { Recordings } from '../../../media/recordings/index.ts';
import { sendRange } from '../../server/surface.ts';

const CallParams = Type.Object({ call_id: Type.String({ maxLength: 256 }) });
type CallParams = Static<typeof CallParams>;

const Deleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('omni.recording'),
  deleted: Type.Literal(true),
});
const bytes = { schema: { type: 'string', format: 'binary' } } as const;
const file = (description: string) => ({
  description,
  content: { 'audio/wav': bytes, 'audio/flac': bytes, 'audio/ogg': bytes },
});

export function recordingRoutes(app: FastifyInstance, recordings: Recordings): void {
  app.get<{ Params: CallParams }>(
    '/v1/omni/calls/:call_id/recording',
    {
      config: { access: { kind: 'key', scope: 'omni:read' }, errors: ['range_not_satisfiable'] },
      schema: {
        summary: 'Download the recording of a call, or a range of its bytes',
        description:
          'The recording is stereo: the caller is on the left channel, and the agent as it was played is on the right. `recording_result.starts_at_ms` of the call is the transcript time of the first sample.',
        tags: ['Omni'],
        params: CallParams,
        headers: Type.Object({
          range: Type.Optional(Type.String({ description: 'A single byte range, such as `bytes=0-1023`.' })),
        }),
        response: { 200: file('The recording.'), 206: file('The requested byte range.') },
      },
    },
    async (request, reply) => {
      const { call_id: id } = request.params;
      const found = isId('ocl', id) ? await recordings.file(request.tenantScope(), id) : null;
      if (found === null) throw notFound();
      return await sendRange(request, reply, {
        bytes: found.bytes,
        headers: {
          'content-type': found.contentType,
          'content-disposition': `attachment; filename="${id}.${found.extension}"`,
        },
        open: async (range) => (await found.body(range)).stream,
      });
    },
  );
  app.delete<{ Params: CallParams }>(
    '/v1/omni/calls/:call_id/recording',
    {
      config: { access: { kind: 'key', scope: 'omni:manage' }, errors: ['legal_hold'] },
      schema: {
        summary: 'Delete the recording of a call; the call record is kept',
        tags: ['Omni'],
        params: CallParams,
        response: { 200: Deleted },
      },
    },
    async (request) => {
      const { call_id: id } = request.params;
      if (!isId('ocl', id) || !(await recordings.remove(request.tenantScope(), id))) throw notFound();
      return { id, object: 'omni.recording' as const, deleted: true as const };
    },
  );
}

const notFound = (): ApiError => new ApiError('not_found', 'there is no recording of this call');
