import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { TelephonyCallStore, VoicemailDrops } from '../../../telephony/dialling/index.ts';
import { sendRange } from '../../server/surface.ts';
import { MANAGE } from './access.ts';
import { type CallRequest, rowOf } from './call-routes.ts';
import { CallParams } from './schemas.ts';

export interface RecordingRoutesDeps {
  readonly records: TelephonyCallStore;
  readonly drops: Pick<VoicemailDrops, 'sound' | 'remove'>;
}

const tags = ['Telephony'];
const PATH = '/v1/telephony/calls/:call_id/recording';
type Params = Static<typeof CallParams>;

const Deleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.recording'),
  deleted: Type.Literal(true),
});
const file = (description: string) => ({
  description,
  content: { 'audio/wav': { schema: { type: 'string', format: 'binary' } } },
});

export function recordingRoutes(app: FastifyInstance, deps: RecordingRoutesDeps): void {
  const { drops } = deps;

  app.get<{ Params: Params }>(PATH, {
    config: { ...MANAGE, errors: ['range_not_satisfiable'] },
    schema: {
      summary: 'Download the recording of a message left on a voicemail, or a range of its bytes',
      description:
        'The recording is stereo: the voicemail is on the left channel, and the message is on the right. It exists if the agent has `recordings_enabled`. Conversations of an agent are recorded separately, at `/v1/omni/calls/{id}/recording`.',
      tags,
      params: CallParams,
      headers: Type.Object({
        range: Type.Optional(Type.String({ description: 'A single byte range, such as `bytes=0-1023`.' })),
      }),
      response: { 200: file('The recording.'), 206: file('The requested byte range.') },
    },
    handler: async (request, reply) => {
      const { row, bytes } = await recordedOf(deps, request);
      return await sendRange(request, reply, {
        bytes,
        headers: {
          'content-type': 'audio/wav',
          'content-disposition': `attachment; filename="${row.id}.wav"`,
        },
        open: async (range) => (await drops.sound(row, range)).stream,
      });
    },
  });

  app.delete<{ Params: Params }>(PATH, {
    config: { ...MANAGE, errors: ['legal_hold'] },
    schema: {
      summary: 'Delete the recording of a message left on a voicemail; the call record is kept',
      tags,
      params: CallParams,
      response: { 200: Deleted },
    },
    handler: async (request) => {
      const { row } = await recordedOf(deps, request);
      await drops.remove(request.tenantScope(), row.id);
      return { id: row.id, object: 'telephony.recording' as const, deleted: true as const };
    },
  });
}

async function recordedOf(deps: RecordingRoutesDeps, request: CallRequest) {
  const row = await rowOf(deps, request);
  if (row.recording_bytes !== null) return { row, bytes: Number(row.recording_bytes) };
  throw new ApiError('not_found', 'There is no recording of this call.');
}
