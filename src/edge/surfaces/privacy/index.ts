import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { tenantScopeIn } from '../../../foundation/access/index.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import type { AnonymousExpiry, Erasures, LegalHold, LegalHolds } from '../../../foundation/privacy/index.ts';
import type { Surface } from '../../server/surface.ts';

const ProjectQuery = Type.Object({
  project_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'Defaults to the user’s first project.' }),
  ),
  environment: Type.Optional(Type.Enum(['live', 'sandbox'])),
});
type ProjectQuery = Static<typeof ProjectQuery>;

const CustomerParams = Type.Object({ external_id: Type.String({ maxLength: 512 }) });
const HoldParams = Type.Object({ record: Type.String({ maxLength: 64 }) });
type HoldParams = Static<typeof HoldParams>;

const Certificate = Type.Object({
  object: Type.Literal('erasure'),
  id: Type.String(),
  counts: Type.Record(Type.String(), Type.Integer(), {
    description: 'The number of erased records by type.',
  }),
  held: Type.Integer({ description: 'The number of records that were kept because of a legal hold.' }),
  sha256: Type.String({
    description:
      'SHA-256 hash of the ID, the hash of the external ID, the time, the counts and every record.',
  }),
  erased_at: Type.Integer(),
});

const Hold = Type.Object({
  object: Type.Literal('legal_hold'),
  record: Type.String(),
  reason: Type.String(),
  placed_at: Type.Integer(),
});
const HoldList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Hold),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
const HoldBody = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 1000 }) });
type HoldBody = Static<typeof HoldBody>;

const showHold = ({ record, reason, placedAt }: LegalHold) => ({
  object: 'legal_hold' as const,
  record,
  reason,
  placed_at: placedAt,
});

const config = {
  access: { kind: 'member', scope: 'privacy:erase', role: 'admin' },
  errors: ['not_found'],
} as const;
const tags = ['Privacy'];

function customerRoute(app: FastifyInstance, erasures: Erasures): void {
  app.delete<{ Params: Static<typeof CustomerParams>; Querystring: ProjectQuery }>(
    '/v1/customers/:external_id',
    {
      config,
      schema: {
        summary: 'Erase a person’s calls, recordings, transcripts, jobs, findings and events',
        description:
          'The person is identified by `configure.meta.external_id` of calls and `external_id` of jobs. Active calls and records under a legal hold are not erased.',
        tags,
        params: CustomerParams,
        querystring: ProjectQuery,
        response: { 200: Certificate },
      },
      handler: async (request) => {
        const scope = tenantScopeIn(request.caller(), request.query);
        const erasure = await erasures.erase(scope, request.params.external_id, request.doer());
        return {
          object: 'erasure' as const,
          id: erasure.id,
          counts: { ...erasure.counts },
          held: erasure.held,
          sha256: erasure.sha256,
          erased_at: erasure.erasedAt,
        };
      },
    },
  );
}

function holdRoutes(app: FastifyInstance, holds: LegalHolds): void {
  app.get<{ Querystring: WholeQuery & ProjectQuery }>('/v1/legal-holds', {
    config,
    schema: {
      summary: 'List legal holds',
      tags,
      querystring: Type.Object({ ...WholeQuery.properties, ...ProjectQuery.properties }),
      response: { 200: HoldList },
    },
    handler: async (request) => {
      const { query } = request;
      const listed = await holds.list(tenantScopeIn(request.caller(), query));
      return pageOfWhole(listed, query, ({ record }) => record, showHold);
    },
  });
  app.put<{ Params: HoldParams; Querystring: ProjectQuery; Body: HoldBody }>('/v1/legal-holds/:record', {
    config,
    schema: {
      summary: 'Place a legal hold, which protects a call or a job from deletion until it is released',
      tags,
      params: HoldParams,
      querystring: ProjectQuery,
      body: HoldBody,
      response: { 200: Hold },
    },
    handler: async (request) => {
      const scope = tenantScopeIn(request.caller(), request.query);
      return showHold(await holds.place(scope, request.params.record, request.body.reason, request.doer()));
    },
  });
  app.delete<{ Params: HoldParams; Querystring: ProjectQuery }>('/v1/legal-holds/:record', {
    config,
    schema: {
      summary: 'Release a legal hold',
      tags,
      params: HoldParams,
      querystring: ProjectQuery,
      response: {
        200: Type.Object({
          id: Type.String(),
          object: Type.Literal('legal_hold'),
          deleted: Type.Literal(true),
        }),
      },
    },
    handler: async (request) => {
      const { record } = request.params;
      await holds.release(tenantScopeIn(request.caller(), request.query), record, request.doer());
      return { id: record, object: 'legal_hold' as const, deleted: true as const };
    },
  });
}

export const createPrivacySurface = (deps: {
  readonly erasures: Erasures;
  readonly holds: LegalHolds;
  readonly expiry: AnonymousExpiry;
}): Surface => ({
  name: 'privacy',
  routes: (app) => {
    customerRoute(app, deps.erasures);
    holdRoutes(app, deps.holds);
  },
  // A restored database may predate an erasure, so erasures are replayed before the server takes requests.
  start: async () => {
    await deps.erasures.replay();
    deps.expiry.start();
  },
  stop: async () => await deps.expiry.stop(),
});
