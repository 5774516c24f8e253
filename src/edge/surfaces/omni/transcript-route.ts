import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { openTranscript, TRANSCRIPT_PATH, type TranscriptLinks } from '../../../conversation/calls/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { Blobs } from '../../../foundation/storage/index.ts';
import { CallTranscript } from './call-schemas.ts';

export interface TranscriptRoutesDeps {
  readonly blobs: Pick<Blobs, 'get'>;
  readonly transcriptLinks: TranscriptLinks;
}

const Params = Type.Object({ call_id: Type.String({ maxLength: 256 }) });
const Query = Type.Object({
  expires: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Unix time in seconds.',
  }),
  signature: Type.String({ maxLength: 256 }),
});

/** `transcript_url` points here. The signature replaces a key. */
export function transcriptRoute(
  app: FastifyInstance,
  { blobs, transcriptLinks }: TranscriptRoutesDeps,
): void {
  app.get<{ Params: Static<typeof Params>; Querystring: Static<typeof Query> }>(
    `${TRANSCRIPT_PATH}/:call_id`,
    {
      config: { access: { kind: 'signed' }, errors: ['not_found'] },
      schema: {
        summary: 'Download a transcript that is stored separately from the call record',
        description: '`transcript_url` of the call is a link to this route that is valid for 15 minutes.',
        tags: ['Omni'],
        params: Params,
        querystring: Query,
        response: { 200: CallTranscript },
      },
    },
    async (request, reply) => {
      const { call_id: id } = request.params;
      const { expires, signature } = request.query;
      if (!transcriptLinks.isValid(id, expires, signature))
        throw new ApiError(
          'not_found',
          'The link is unknown or has expired: retrieve the call for a new one.',
        );
      return await sendTranscript(reply.header('cache-control', 'private, no-store'), blobs, id);
    },
  );
}

export async function sendTranscript(
  reply: FastifyReply,
  blobs: Pick<Blobs, 'get'>,
  callId: string,
): Promise<FastifyReply> {
  const body = await openTranscript(blobs, callId);
  if (body === null)
    throw new ApiError('not_found', 'The transcript of this call was deleted after its retention period.');
  return reply.type('application/json; charset=utf-8').header('content-length', body.bytes).send(body.stream);
}
