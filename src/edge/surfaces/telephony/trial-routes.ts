import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import {
  type Carrier,
  LoopbackCarrier,
  MANAGED_STREAM_PATH,
  Scenario,
} from '../../../telephony/carriers/index.ts';
import type { PhoneNumberService } from '../../../telephony/dialling/index.ts';
import { MANAGE } from './access.ts';
import { OwnNumber, PhoneNumber } from './schemas.ts';

const Body = Type.Object(
  {
    to: PhoneNumber,
    from: Type.Optional(OwnNumber),
    caller: Type.Optional(Scenario),
    brings_sound: Type.Optional(
      Type.Boolean({ description: 'Replaces `caller`: you send and receive the caller’s audio yourself.' }),
    ),
  },
  { additionalProperties: false },
);
const Answer = Type.Object({
  object: Type.Literal('telephony.trial_call'),
  from: Type.String(),
  to: Type.String(),
  stream: Type.Optional(
    Type.Object(
      {
        path: Type.String({
          description: 'The WebSocket path on this server, which uses the carriers’ media-stream protocol.',
        }),
        leg: Type.String({
          description: 'The stream parameter `leg`. It can be used once, within ten seconds.',
        }),
      },
      { description: 'The media stream, with `brings_sound`. Absent if the call was not answered.' },
    ),
  ),
});
const CALLER = '+15005550001';

/** These routes exist only with the loopback network, the only one that can simulate a call. */
export function trialRoutes(app: FastifyInstance, numbers: PhoneNumberService, carrier: Carrier): void {
  if (!(carrier instanceof LoopbackCarrier)) return;
  app.post<{ Body: Static<typeof Body> }>('/v1/telephony/trial-calls', {
    config: MANAGE,
    schema: {
      summary: 'Simulate a call to one of your numbers on the loopback network',
      description:
        'Only available with the loopback carrier. `caller` describes what the caller does, in the steps of src/telephony/carriers/loopback/network.yaml.',
      tags: ['Telephony'],
      body: Body,
      response: { 202: Answer },
    },
    handler: async (request, reply) => {
      const { to, from = CALLER, caller = {}, brings_sound: brings = false } = request.body;
      if (brings && request.body.caller !== undefined)
        throw new ApiError(
          'invalid_request',
          'caller cannot be combined with brings_sound: true; send only one of them.',
          {
            param: 'caller',
          },
        );
      if ((await numbers.owned(request.tenantScope(), to)) === null)
        throw new ApiError('invalid_request', 'The number does not belong to this project.', { param: 'to' });
      const answer = { object: 'telephony.trial_call' as const, from, to };
      if (!brings) carrier.callIn({ from, to, scenario: caller });
      const leg = brings ? await carrier.callInWithSound({ from, to }) : null;
      const stream = leg === null ? {} : { stream: { path: MANAGED_STREAM_PATH, leg } };
      return reply.code(202).send({ ...answer, ...stream });
    },
  });
}
