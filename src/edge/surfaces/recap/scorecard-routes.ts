import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import type { Criterion, Scorecards } from '../../../products/recap/index.ts';
import { Deleted, Params, Scorecard, ScorecardBody, ScorecardList, Trends } from './schemas.ts';

const tags = ['Recap'];
const READ = { access: { kind: 'key', scope: 'recap:read' } } as const;
const CONFIGURE = { access: { kind: 'key', scope: 'recap:configure' } } as const;

export function scorecardRoutes(app: FastifyInstance, scorecards: Scorecards): void {
  app.get<{ Querystring: WholeQuery }>('/v1/recap/scorecards', {
    config: READ,
    schema: {
      summary: 'List scorecards, newest first',
      tags,
      querystring: WholeQuery,
      response: { 200: ScorecardList },
    },
    handler: async (request) => {
      const cards = await scorecards.list(tenantScopeOf(request.caller()));
      return pageOfWhole(cards, request.query, ({ id }) => id, show);
    },
  });

  app.post<{ Body: Static<typeof ScorecardBody> }>('/v1/recap/scorecards', {
    config: CONFIGURE,
    schema: {
      summary: 'Create a scorecard that scores every new call',
      tags,
      body: ScorecardBody,
      response: { 201: Scorecard },
    },
    handler: async (request, reply) => {
      const { name, criteria } = request.body;
      for (const [at, criterion] of criteria.entries()) checkWeights(criterion, criteria.slice(0, at));
      const card = await scorecards.create(tenantScopeOf(request.caller()), name, criteria);
      return reply.code(201).send(show(card));
    },
  });

  app.get<{ Params: Static<typeof Params> }>('/v1/recap/scorecards/:id/trends', {
    config: READ,
    schema: {
      summary: 'Get score trends by day, agent and version',
      tags,
      params: Params,
      response: { 200: Trends },
    },
    handler: async (request) => {
      const { id } = request.params;
      const scope = tenantScopeOf(request.caller());
      if (!(await scorecards.list(scope)).some((card) => card.id === id)) throw scorecardNotFound();
      return { object: 'recap.trends' as const, data: await scorecards.trends(scope, id) };
    },
  });

  app.delete<{ Params: Static<typeof Params> }>('/v1/recap/scorecards/:id', {
    config: CONFIGURE,
    schema: {
      summary: 'Delete a scorecard and its scores',
      tags,
      params: Params,
      response: { 200: Deleted },
    },
    handler: async (request) => {
      const { id } = request.params;
      const gone = isId('sc', id) && (await scorecards.remove(tenantScopeOf(request.caller()), id));
      if (!gone) throw scorecardNotFound();
      return { id, object: 'recap.scorecard' as const, deleted: true as const };
    },
  });
}

function checkWeights(criterion: Criterion, before: readonly Criterion[]): void {
  const { id, by, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = criterion;
  const refuse = (why: string) => new ApiError('invalid_request', `${id} ${why}.`, { param: 'criteria' });
  if (by !== 'model' && criterion[by] === undefined) throw refuse(`has no ${by}`);
  if (least > most) throw refuse('has a minimum that is greater than its maximum');
  if (before.some((other) => other.id === id)) throw refuse('is listed twice');
}

const scorecardNotFound = (): ApiError => new NoSuchError('scorecard');

const show = (card: Awaited<ReturnType<Scorecards['list']>>[number]) => ({
  object: 'recap.scorecard' as const,
  ...card,
  criteria: [...card.criteria],
});
