import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { MessageRecord } from '../../../foundation/events/index.ts';
import { NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import { MAX_URL_CHARACTERS } from '../../../foundation/platform/url-gate/index.ts';
import {
  type HandOvers,
  type MessageStore,
  type Messages,
  STATUSES,
  viewOf,
} from '../../../telephony/messages/index.ts';
import type { Surface } from '../../server/surface.ts';
import { handOverRoutes } from './hand-overs.ts';
import { access, carrierMissing, IdParams, Phone } from './shared.ts';

export interface MessagesDeps {
  readonly store: MessageStore;
  readonly handOvers: HandOvers;
  readonly messages: Messages | null;
  readonly start?: () => Promise<void>;
  readonly stop?: (deadlineMs: number) => Promise<void>;
}

const Body = Type.Object(
  {
    from: { ...Phone, examples: ['+14155550100'] },
    to: Phone,
    body: Type.Optional(Type.String({ maxLength: 1600, examples: ['Your table is booked for seven.'] })),
    media_urls: Type.Optional(
      Type.Array(Type.String({ maxLength: MAX_URL_CHARACTERS }), {
        maxItems: 10,
        description: 'HTTPS URLs of images, audio files, videos or PDF files, at most 5 MB each.',
      }),
    ),
    campaign_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  },
  { additionalProperties: false },
);
const Query = Type.Object({
  ...PageQuery.properties,
  from: Type.Optional(Phone),
  to: Type.Optional(Phone),
  direction: Type.Optional(Type.Enum(['inbound', 'outbound'])),
  status: Type.Optional(Type.Enum([...STATUSES])),
  campaign_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});
const List = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(MessageRecord),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

export const createMessagesSurface = (deps: MessagesDeps): Surface => ({
  name: 'messages',
  routes: (app) => {
    readRoutes(app, deps.store);
    sendRoute(app, deps);
    handOverRoutes(app, deps);
  },
  ...(deps.start ? { start: deps.start } : {}),
  ...(deps.stop ? { stop: deps.stop } : {}),
});

function readRoutes(app: FastifyInstance, store: MessageStore): void {
  app.get<{ Querystring: Static<typeof Query> }>('/v1/messages', {
    config: { access },
    schema: { summary: 'List messages, newest first', querystring: Query, response: { 200: List } },
    handler: async (request) => {
      const { query } = request;
      const rows = await store.list(request.tenantScope(), query, query, pageStart(query));
      return pageOf(rows, query, (row) => ({ createdAt: Number(row.created_at), id: row.id }), viewOf);
    },
  });
  app.get<{ Params: Static<typeof IdParams> }>('/v1/messages/:id', {
    config: { access },
    schema: { summary: 'Retrieve a message', params: IdParams, response: { 200: MessageRecord } },
    handler: async (request) => {
      const { id } = request.params;
      const row = isId('msg', id) ? await store.find(request.tenantScope(), id) : null;
      if (row === null) throw new NoSuchError('message');
      return viewOf(row);
    },
  });
}

function sendRoute(app: FastifyInstance, { messages }: MessagesDeps): void {
  app.post<{ Body: Static<typeof Body> }>('/v1/messages', {
    config: {
      access: { ...access, entitlement: 'messages' },
      meters: true,
      idempotent: 'optional',
      errors: ['not_found'],
    },
    schema: {
      summary: 'Send a message from one of your numbers',
      description:
        'A recipient who has sent STOP to the number receives nothing; the message is then created with `failed` and `opted_out`. Events report the delivery. One unit of the meter `messages` is billed once the network has accepted the message. Returns 404 if the server has no messaging carrier.',
      body: Body,
      response: { 201: MessageRecord },
    },
    handler: async (request, reply) => {
      if (messages === null) throw carrierMissing();
      const { from, to, body = '', media_urls = [], campaign_id = null } = request.body;
      const message = { from, to, body, mediaUrls: media_urls, campaignId: campaign_id };
      const view = await request.once(async (keep) =>
        viewOf(
          await messages.send(request.tenantScope(), message, {
            keyId: request.caller().keyId,
            within: (trx, row) => keep(trx, viewOf(row)),
          }),
        ),
      );
      return reply.code(201).send(view);
    },
  });
}
