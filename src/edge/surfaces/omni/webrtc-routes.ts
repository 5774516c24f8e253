import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { MOST_SDP_BYTES } from '../../../telephony/webrtc/index.ts';
import { readTextBody } from '../../server/surface.ts';
import { readLabel } from './connect.ts';
import type { WebRtcCall } from './webrtc-call.ts';
import type { WebRtcCalls } from './webrtc-calls.ts';

const SDP = 'application/sdp';
/** Generators of clients take no other text than `text/*`. */
const BYTES = { schema: { type: 'string', format: 'binary' } };
const FRAGMENT = 'application/trickle-ice-sdpfrag';
const MAX_CANDIDATES = 30;

const Query = Type.Object({
  session_label: Type.Optional(
    Type.String({
      description:
        'A label that is stored in the call record. The ID of an agent loads the profile of that agent.',
    }),
  ),
  agent_id: Type.Optional(Type.String({ description: 'Alias of `session_label`.' })),
});
type Query = Static<typeof Query>;
const CallParams = Type.Object({ call_id: Type.String({ maxLength: 256 }) });
type CallParams = Static<typeof CallParams>;
const Ended = Type.Object({
  id: Type.String(),
  object: Type.Literal('omni.call'),
  deleted: Type.Literal(true),
});

const CALL_CREDENTIAL = { kind: 'signed', key: true } as const;

/** These routes follow WHIP: the client posts an offer, gets an answer, and deletes the resource to end the call. */
export function webrtcRoutes(app: FastifyInstance, calls: WebRtcCalls): void {
  app.post<{ Querystring: Query }>('/v1/omni/webrtc', {
    config: {
      access: { kind: 'key', scope: 'omni:session', browser: true },
      cors: true,
      meters: true,
      bytes: {
        types: [SDP],
        description: 'The SDP offer: audio with Opus, PCMU or PCMA, and optionally a data channel.',
      },
      errors: [
        'invalid_agent_id',
        'origin_not_allowed',
        'payload_too_large',
        'unsupported_media_type',
        'capacity',
      ],
    },
    schema: {
      summary: 'Create a WebRTC call from an SDP offer',
      description:
        'The `Location` header of the response is the URL of the call: DELETE ends it, PATCH adds ICE candidates, and PUT restarts ICE. A data channel carries the frames 0x02 and 0x03 of the WebSocket; without one, the call starts with the configuration of the agent.',
      tags: ['Omni'],
      querystring: Query,
      response: {
        201: {
          description: 'The SDP answer.',
          headers: {
            location: {
              description: 'The URL of the call.',
              schema: { type: 'string' },
              example: '/v1/omni/webrtc/ocl_0000000000000000000a',
            },
          },
          content: { [SDP]: BYTES },
        },
      },
    },
    handler: async (request, reply) => {
      const { session_label = null, agent_id = null } = request.query;
      const label = readLabel({ session_label, agent_id });
      const offer = await bodyOf(request, SDP);
      const presented = credentialOf(request);
      const { callId, sdp } = await calls.open({ principal: request.caller(), sdp: offer, label, presented });
      return reply.code(201).header('location', `/v1/omni/webrtc/${callId}`).type(SDP).send(sdp);
    },
  });
  app.patch<{ Params: CallParams }>('/v1/omni/webrtc/:call_id', {
    config: {
      access: CALL_CREDENTIAL,
      cors: true,
      bytes: { types: [FRAGMENT], description: '`a=candidate` lines, as in RFC 8840.' },
      errors: ['payload_too_large', 'unsupported_media_type'],
    },
    schema: {
      summary: 'Add ICE candidates to a WebRTC call',
      tags: ['Omni'],
      params: CallParams,
      response: { 204: { description: 'The candidates were accepted.', content: {} } },
    },
    handler: async (request, reply) => {
      const call = find(calls, request);
      const lines = (await bodyOf(request, FRAGMENT))
        .split(/\r?\n/)
        .filter((line) => line.startsWith('a=candidate:'));
      call.candidates(lines.slice(0, MAX_CANDIDATES));
      return reply.code(204).send();
    },
  });
  app.put<{ Params: CallParams }>('/v1/omni/webrtc/:call_id', {
    config: {
      access: CALL_CREDENTIAL,
      cors: true,
      bytes: { types: [SDP], description: 'The SDP offer of an ICE restart.' },
      errors: ['payload_too_large', 'unsupported_media_type', 'call_not_live', 'unavailable'],
    },
    schema: {
      summary: 'Restart ICE for a WebRTC call',
      description:
        'Send an SDP offer with new ICE credentials (`restartIce()`). The call switches to the new connection once it is established. A call whose connection is lost is kept for 20 s.',
      tags: ['Omni'],
      params: CallParams,
      response: {
        200: { description: 'The SDP answer to the ICE restart.', content: { [SDP]: BYTES } },
      },
    },
    handler: async (request, reply) => {
      const call = find(calls, request);
      const sdp = await call.restart(await bodyOf(request, SDP));
      return reply.code(200).type(SDP).send(sdp);
    },
  });
  app.delete<{ Params: CallParams }>('/v1/omni/webrtc/:call_id', {
    config: { access: CALL_CREDENTIAL, cors: true },
    schema: { summary: 'End a WebRTC call', tags: ['Omni'], params: CallParams, response: { 200: Ended } },
    handler: async (request) => {
      find(calls, request).hangUp();
      return { id: request.params.call_id, object: 'omni.call' as const, deleted: true as const };
    },
  });
}

/**
 * The caller presents the credential of the offer again; a browser token is already spent by then and still accepted.
 */
function find(calls: WebRtcCalls, request: FastifyRequest<{ Params: CallParams }>): WebRtcCall {
  const call = calls.find(request.params.call_id, credentialOf(request));
  if (call === null)
    throw new ApiError('not_found', 'there is no such call, or another credential started it');
  return call;
}

/** The result is empty when there is no credential; no call was started with an empty one. */
function credentialOf(request: FastifyRequest): string {
  const { authorization, 'x-api-key': key } = request.headers;
  return authorization?.replace(/^Bearer +/i, '').trim() ?? String(key ?? '');
}

const bodyOf = (request: FastifyRequest, type: string): Promise<string> =>
  readTextBody(request, { type, maxBytes: MOST_SDP_BYTES, param: 'sdp' });
