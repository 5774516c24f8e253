import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { type Carrier, STATUS_PATH, TwilioCarrier, VOICE_PATH } from '../../../telephony/carriers/index.ts';

const SIGNED = { access: { kind: 'signed' } } as const;
const SIGNATURE = 'x-twilio-signature';
const tags = ['Telephony'];

type Form = Record<string, string>;

/** The carrier's servers call these routes and sign each request. */
export function callbackRoutes(app: FastifyInstance, carrier: Carrier): void {
  if (!(carrier instanceof TwilioCarrier)) return;
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
  );

  app.post(VOICE_PATH, {
    config: SIGNED,
    schema: {
      summary: 'Receive an incoming call from the carrier',
      tags,
      response: {
        200: {
          description: 'Call-control markup for the carrier.',
          content: { 'text/xml': { schema: { type: 'string' } } },
        },
      },
    },
    handler: async (request, reply) => {
      const markup = await carrier.voice(formOf(carrier, request));
      return reply.type('text/xml; charset=utf-8').send(markup);
    },
  });

  app.post(STATUS_PATH, {
    config: SIGNED,
    schema: { summary: 'Receive a call status from the carrier', tags, response: { 204: { type: 'null' } } },
    handler: async (request, reply) => {
      carrier.status(formOf(carrier, request));
      return reply.code(204).send(null);
    },
  });
}

/** Throws ApiError when the carrier's signature does not match. */
function formOf(carrier: TwilioCarrier, request: FastifyRequest): Form {
  const form = (request.body ?? {}) as Form;
  const signature = request.headers[SIGNATURE];
  const path = request.routeOptions.url ?? '';
  if (typeof signature === 'string' && carrier.isSigned(path, form, signature)) return form;
  throw new ApiError(
    'unauthorized',
    'The signature of the carrier is missing or does not match the request.',
  );
}
