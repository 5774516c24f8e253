import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import { MOST_SDP_BYTES } from '../../../../telephony/webrtc/index.ts';
import { defineForm, hasType, readTextBody } from '../../../server/surface.ts';
import type { PeerGateway } from './contract.ts';
import { RealtimeConversation } from './conversation.ts';
import type { OpenAiDeps } from './index.ts';
import { dialectOf, kindOf, labelOf, ModelName, modelOf } from './route.ts';
import { settledBy } from './settings.ts';

const SDP = 'application/sdp';

const Query = Type.Object({ model: Type.Optional(ModelName) });
type Query = Static<typeof Query>;

const form = defineForm(
  Type.Object({
    sdp: Type.String({ maxLength: MOST_SDP_BYTES, description: 'The SDP offer.' }),
    session: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'The session configuration as JSON, as in `session.update`.',
        },
      ),
    ),
  }),
  {},
);

const CallParams = Type.Object({ call_id: Type.String({ maxLength: 256 }) });

export function peerRoutes(app: FastifyInstance, deps: OpenAiDeps, peers: PeerGateway): void {
  app.post<{ Querystring: Query }>('/v1/realtime/calls', {
    config: {
      access: { kind: 'key', scope: 'omni:session', browser: true },
      vendor: 'openai',
      cors: true,
      meters: true,
      form: form.schema,
      bytes: { types: [SDP], description: 'The SDP offer, alone or in a form with a session configuration.' },
      errors: ['origin_not_allowed', 'payload_too_large', 'unsupported_media_type', 'capacity'],
    },
    schema: {
      summary: 'Create a WebRTC call, in OpenAI’s Realtime format',
      description:
        'The data channel carries the events of `/v1/realtime` as text, and the tracks carry the audio. The `Location` header of the response is the URL of the call.',
      tags: ['Omni'],
      querystring: Query,
      response: {
        201: {
          description: 'The SDP answer.',
          headers: {
            location: {
              description: 'The URL of the call.',
              schema: { type: 'string' },
              example: '/v1/realtime/calls/ocl_0000000000000000000a',
            },
          },
          content: { [SDP]: { schema: { type: 'string', format: 'binary' } } },
        },
      },
    },
    handler: async (request, reply) => {
      const { callId, sdp } = await answer(deps, peers, request);
      return reply.code(201).header('location', `/v1/realtime/calls/${callId}`).type(SDP).send(sdp);
    },
  });
  app.post<{ Params: Static<typeof CallParams> }>('/v1/realtime/calls/:call_id/hangup', {
    config: { access: { kind: 'key', scope: 'omni:session' }, errors: ['not_found'] },
    schema: {
      summary: 'Hang up a WebRTC call',
      tags: ['Omni'],
      params: CallParams,
      response: { 200: { description: 'The call is being ended.', content: {} } },
    },
    handler: async (request, reply) => {
      if (!peers.hangUp(request.caller(), request.params.call_id))
        throw new ApiError('not_found', 'there is no such call');
      return reply.code(200).send();
    },
  });
}

async function answer(
  deps: OpenAiDeps,
  peers: PeerGateway,
  request: FastifyRequest<{ Querystring: Query }>,
): Promise<{ callId: string; sdp: string }> {
  const { sdp, session } = await offerOf(request);
  const principal = request.caller();
  const minted = principal.browser?.session ?? null;
  if (kindOf(session ?? minted) === 'transcription')
    throw new ApiError('invalid_request', 'Transcription sessions require the WebSocket of /v1/realtime.', {
      param: 'session.type',
    });
  const settings = settledBy([minted, session]);
  const model = modelOf(session) ?? request.query.model ?? modelOf(minted) ?? 'svc-omni';
  const opening = { principal, model, dialect: dialectOf(request), settings };
  const admitted = await deps.gateway.admit(principal, labelOf(model));
  const answered = await peers.answer({
    principal,
    sdp,
    presented: request.headers.authorization ?? '',
    callId: admitted.callId,
    openSession: (line) => new RealtimeConversation(deps, admitted, line.socket, opening, line),
    abandon: () => admitted.abandon(),
  });
  return { callId: admitted.callId, sdp: answered };
}

async function offerOf(request: FastifyRequest): Promise<{ sdp: string; session: object | null }> {
  if (hasType(request, SDP)) {
    const sdp = await readTextBody(request, { type: SDP, maxBytes: MOST_SDP_BYTES, param: 'sdp' });
    return { sdp, session: null };
  }
  const { fields } = await form.read(request, {
    maxBytes: 0,
    store: () =>
      Promise.reject(new ApiError('invalid_request', 'sdp must be sent as a field, not as a file.')),
    discard: async () => undefined,
    ignoresUnknown: () => true,
  });
  return { sdp: fields.sdp, session: fields.session ?? null };
}
