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
      Type.Boolean({ description: 'in the place of `caller`: you bring the sound of whoever calls' }),
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
          description: 'of this server, by WebSocket: the carriers’ media-stream protocol',
        }),
        leg: Type.String({ description: 'the stream parameter `leg`; good once, for ten seconds' }),
      },
      { description: 'With `brings_sound`, once the call is answered; absent: it was not' },
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
      summary: 'Have somebody on the loopback network call one of your numbers',
      description:
        'Only with the loopback carrier. `caller` says what they do, in the steps of src/telephony/carriers/loopback/network.yaml.',
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
