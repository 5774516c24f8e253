import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { eventsOf, isSigned, numbersOf } from '../../../telephony/msgapp/index.ts';
import type { MsgappDeps } from './index.ts';

const Verification = Type.Object({
  'hub.mode': Type.Literal('subscribe'),
  'hub.verify_token': Type.String({ minLength: 1, maxLength: 2048 }),
  'hub.challenge': Type.String({ minLength: 1, maxLength: 512 }),
});
type Verification = Static<typeof Verification>;

const PATH = '/public/msgapp/webhook';
const MAX_BODY_BYTES = 1024 * 1024;
/** Deliveries are not authenticated before the lookup, so the lookup is bounded. */
const MAX_NUMBERS = 100;

/** The provider's webhook is acknowledged immediately, and its events are processed afterwards. */
export function webhookRoutes(app: FastifyInstance, { numbers, calls, log }: MsgappDeps): void {
  app.get<{ Querystring: Verification }>(
    PATH,
    {
      config: { access: { kind: 'signed' }, errors: ['forbidden'] },
      schema: {
        summary: 'Verify the webhook URL for the provider',
        tags: ['Messaging'],
        querystring: Verification,
        response: {
          200: { description: 'The challenge.', content: { 'text/plain': { schema: Type.String() } } },
        },
      },
    },
    async (request, reply) => {
      if (!(await numbers.verifies(request.query['hub.verify_token'])))
        throw new ApiError('forbidden', 'no number was registered with this verify token');
      return reply.type('text/plain; charset=utf-8').send(request.query['hub.challenge']);
    },
  );
  app.post(
    PATH,
    {
      config: {
        access: { kind: 'signed' },
        bytes: {
          types: ['application/octet-stream'],
          description: 'A delivery of the provider as JSON, signed over its bytes.',
        },
        errors: ['unauthorized', 'payload_too_large'],
      },
      schema: {
        summary: 'Receive call events',
        tags: ['Messaging'],
        response: { 200: Type.Object({ received: Type.Literal(true) }) },
      },
    },
    async (request) => {
      const bytes = await bytesOf(request.body);
      const body = parse(bytes);
      const signature = request.headers['x-hub-signature-256'];
      const ids = numbersOf(body);
      if (ids.length > MAX_NUMBERS)
        throw new ApiError('invalid_request', `a delivery can have at most ${MAX_NUMBERS} numbers`);
      const rows = (await numbers.ofProvider(ids)).filter((row) =>
        isSigned(bytes, String(signature ?? ''), numbers.secretsOf(row).appSecret),
      );
      if (rows.length === 0) throw new ApiError('unauthorized', 'the signature matches no registered number');
      const events = eventsOf(body).flatMap((event) => {
        const row = rows.find(({ phone_number_id }) => phone_number_id === event.phoneNumberId);
        return row === undefined ? [] : [{ row, event }];
      });
      // Permissions are stored before the acknowledgement, because the provider redelivers unacknowledged events.
      for (const { row, event } of events) if (event.kind === 'permission') await calls.take(row, event);
      // The provider waits for one second, and answering an offer takes longer.
      setImmediate(() => {
        for (const { row, event } of events)
          if (event.kind !== 'permission')
            calls
              .take(row, event)
              .catch((err: unknown) =>
                log.error(
                  { err, kind: event.kind },
                  'an event of the messaging provider could not be processed',
                ),
              );
      });
      return { received: true as const };
    },
  );
}

async function bytesOf(body: unknown): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body;
  const chunks: Buffer[] = [];
  let count = 0;
  for await (const chunk of (body instanceof Readable ? body : []) as AsyncIterable<Buffer>) {
    count += chunk.length;
    if (count > MAX_BODY_BYTES)
      throw new ApiError('payload_too_large', `a delivery can have at most ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ApiError('invalid_request', 'the body is not JSON');
  }
}
