import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { TelephonyVoicemailRecord } from '../../../foundation/events/index.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { TelephonyVoicemailRow } from '../../../foundation/storage/tables/telephony.ts';
import { type Voicemails, voicemailView } from '../../../telephony/dialling/index.ts';
import { sendRange } from '../../server/surface.ts';
import { MANAGE } from './access.ts';

const tags = ['Telephony'];

const VoicemailQuery = Type.Object({
  ...PageQuery.properties,
  number_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only return messages left at this number.' }),
  ),
  status: Type.Optional(TelephonyVoicemailRecord.properties.status),
});
const VoicemailList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(TelephonyVoicemailRecord),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
const VoicemailParams = Type.Object({ voicemail_id: Type.String({ maxLength: 256 }) });
type VoicemailParams = Static<typeof VoicemailParams>;
const Deleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.voicemail'),
  deleted: Type.Literal(true),
});
const file = (description: string) => ({
  description,
  content: { 'audio/wav': { schema: { type: 'string', format: 'binary' } } },
});

export function voicemailRoutes(app: FastifyInstance, voicemails: Voicemails): void {
  app.get<{ Querystring: Static<typeof VoicemailQuery> }>('/v1/telephony/voicemails', {
    config: MANAGE,
    schema: {
      summary: 'List voicemail messages, newest first',
      description:
        'A number whose `route` or `fallback` is `voicemail` greets its callers and records what they say after the tone. The event `telephony.voicemail.received` is sent for each message when its transcript is available or has failed.',
      tags,
      querystring: VoicemailQuery,
      response: { 200: VoicemailList },
    },
    handler: async (request) => {
      const { query } = request;
      const rows = await voicemails.list(request.tenantScope(), query, query, pageStart(query));
      const end = (row: TelephonyVoicemailRow) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, query, end, voicemailView);
    },
  });

  app.get<{ Params: VoicemailParams }>('/v1/telephony/voicemails/:voicemail_id', {
    config: MANAGE,
    schema: {
      summary: 'Retrieve a voicemail message',
      tags,
      params: VoicemailParams,
      response: { 200: TelephonyVoicemailRecord },
    },
    handler: async (request) =>
      voicemailView(await voicemails.find(request.tenantScope(), idOf(request.params))),
  });

  app.get<{ Params: VoicemailParams }>('/v1/telephony/voicemails/:voicemail_id/recording', {
    config: { ...MANAGE, errors: ['range_not_satisfiable'] },
    schema: {
      summary: 'Download the recording of a voicemail message, or a range of its bytes',
      tags,
      params: VoicemailParams,
      headers: Type.Object({
        range: Type.Optional(Type.String({ description: 'A single byte range, such as `bytes=0-1023`.' })),
      }),
      response: { 200: file('The message.'), 206: file('The requested byte range.') },
    },
    handler: async (request, reply) => {
      const row = await voicemails.find(request.tenantScope(), idOf(request.params));
      if (row.bytes === null)
        throw new ApiError(
          'not_found',
          'The recording of this voicemail was deleted after its retention period.',
        );
      return await sendRange(request, reply, {
        bytes: Number(row.bytes),
        headers: {
          'content-type': 'audio/wav',
          'content-disposition': `attachment; filename="${row.id}.wav"`,
        },
        open: async (range) => (await voicemails.sound(row, range)).stream,
      });
    },
  });

  app.delete<{ Params: VoicemailParams }>('/v1/telephony/voicemails/:voicemail_id', {
    config: { ...MANAGE, errors: ['legal_hold'] },
    schema: {
      summary: 'Delete a voicemail message with its recording, transcript and transcription job',
      tags,
      params: VoicemailParams,
      response: { 200: Deleted },
    },
    handler: async (request) => {
      const id = idOf(request.params);
      await voicemails.remove(request.tenantScope(), id);
      return { id, object: 'telephony.voicemail' as const, deleted: true as const };
    },
  });
}

function idOf({ voicemail_id: id }: VoicemailParams): string {
  if (isId('vmail', id)) return id;
  throw new NoSuchError('voicemail');
}
