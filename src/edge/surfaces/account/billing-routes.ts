import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Principal } from '../../../foundation/access/contract.ts';
import { tenantScopeIn } from '../../../foundation/access/index.ts';
import {
  type BillingService,
  dayOf,
  type Invoice,
  monthOf,
  type UsageLine,
} from '../../../foundation/billing/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import { Nullable } from './schemas.ts';

const Day = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  description: 'A UTC day, such as `2026-11-21`.',
});

const UsageQuery = Type.Object({
  ...WholeQuery.properties,
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  group_by: Type.Optional(
    Type.String({
      pattern: '^(meter|day|key|project)(,(meter|day|key|project)){0,3}$',
      default: 'day,key,meter',
      description: 'Comma-separated dimensions to group by: `meter`, `day`, `key` and `project`.',
    }),
  ),
  environment: Type.Optional(Type.Enum(['live', 'sandbox'])),
  project_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Only return usage of this project. An API key can only see its own project.',
    }),
  ),
});
type UsageQuery = Static<typeof UsageQuery>;

const UsageList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      object: Type.Literal('usage'),
      day: Nullable(Type.String()),
      project_id: Nullable(Type.String({ description: 'Set if `group_by` includes `project`.' })),
      key_id: Nullable(Type.String()),
      meter: Nullable(Type.String()),
      environment: Type.Enum(['live', 'sandbox']),
      milliseconds: Type.Integer(),
      call_minutes: Type.Integer({ description: 'For telephony: whole minutes, with each call rounded up.' }),
      calls: Type.Integer({
        description: 'For AMD: answered calls, except those whose detection is part of a telephony call.',
      }),
    }),
  ),
  next_cursor: Nullable(Type.String()),
});

const InvoiceList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      object: Type.Literal('invoice'),
      id: Nullable(Type.String()),
      period: Type.String(),
      status: Type.Enum(['open', 'issued']),
      amount_micros: Type.Integer(),
      issued_at: Nullable(Type.Integer()),
      lines: Type.Array(
        Type.Object({
          meter: Type.String(),
          milliseconds: Type.Integer(),
          unit: Type.Enum(['second', 'call_minute', 'call']),
          units: Type.Integer(),
          free_units: Type.Integer(),
          unit_price_micros: Type.Integer(),
          price_per_units: Type.Integer(),
          amount_micros: Type.Integer(),
        }),
      ),
    }),
  ),
  next_cursor: Nullable(Type.String()),
});

const CreditBody = Type.Object({
  org_id: Type.String({ maxLength: 64 }),
  amount_micros: Type.Integer({ minimum: 1, maximum: 1_000_000_000_000_000 }),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'An idempotency reference: credit with the same reference is added only once.',
    }),
  ),
  note: Type.Optional(Type.String({ maxLength: 1000 })),
});
type CreditBody = Static<typeof CreditBody>;

const CreditView = Type.Object({
  object: Type.Literal('credit'),
  id: Type.String(),
  org_id: Type.String(),
  amount_micros: Type.Integer(),
  reference: Type.String(),
  note: Nullable(Type.String()),
  created_at: Type.Integer(),
  balance_micros: Type.Integer(),
});

const READING = { access: { kind: 'member', scope: 'billing:read' } } as const;
const tags = ['Billing'];

export function billingRoutes(app: FastifyInstance, billing: BillingService, clock: Clock): void {
  app.get<{ Querystring: UsageQuery }>(
    '/v1/billing/usage',
    {
      config: { ...READING, errors: ['not_found'] },
      schema: {
        summary: 'List usage',
        tags,
        querystring: UsageQuery,
        response: { 200: UsageList },
      },
    },
    async (request) => {
      const { query } = request;
      const today = dayOf(clock.now());
      const from = realDay('from', query.from ?? `${monthOf(clock.now())}-01`);
      const to = realDay('to', query.to ?? today);
      const groupBy = [...new Set((query.group_by ?? 'day,key,meter').split(','))] as (
        | 'meter'
        | 'day'
        | 'key'
        | 'project'
      )[];
      const { orgId, person, environment } = request.caller();
      const projectIds = projectsOf(request.caller(), query.project_id);
      const asked = { orgId, from, to, groupBy, projectIds, environment: query.environment };
      // A key sees only the use of its own project in its own environment.
      const hidden = person === null && (query.environment ?? environment) !== environment;
      const lines = hidden ? [] : await billing.usage(person === null ? { ...asked, environment } : asked);
      return pageOfWhole(lines, query, keyOfUsage, showUsage);
    },
  );
  app.get<{ Querystring: WholeQuery }>(
    '/v1/billing/invoices',
    {
      config: READING,
      schema: {
        summary: 'List invoices, newest first',
        tags,
        querystring: WholeQuery,
        response: { 200: InvoiceList },
      },
    },
    async (request) => {
      const { orgId, person, environment } = request.caller();
      const none = person === null && environment === 'sandbox';
      const invoices = none ? [] : await billing.invoices(orgId);
      return pageOfWhole(invoices, request.query, ({ period }) => period, showInvoice);
    },
  );
  creditRoute(app, billing);
}

function creditRoute(app: FastifyInstance, billing: BillingService): void {
  app.post<{ Body: CreditBody }>(
    '/v1/billing/credits',
    {
      config: { access: { kind: 'operator' }, errors: ['idempotency_conflict', 'not_found'] },
      schema: { summary: 'Add prepaid credit', tags, body: CreditBody, response: { 201: CreditView } },
    },
    async (request, reply) => {
      const { org_id: orgId, amount_micros: amountMicros, reference, note } = request.body;
      const entry = await billing.addCredit({ orgId, amountMicros, reference, note, by: request.doer() });
      const standing = await billing.creditStatus({
        orgId,
        keyId: null,
        environment: 'live',
      });
      reply.code(201);
      return {
        object: 'credit' as const,
        id: entry.id,
        org_id: entry.orgId,
        amount_micros: entry.amountMicros,
        reference: entry.reference,
        note: entry.note,
        created_at: entry.createdAt,
        balance_micros: Number(standing.balanceMicros),
      };
    },
  );
}

/** Returns undefined for a caller who sees the use of the whole organization. */
function projectsOf(caller: Principal, named: string | undefined): readonly string[] | undefined {
  if (named !== undefined) return [tenantScopeIn(caller, { project_id: named }).project];
  return caller.person === null ? [caller.projectId] : (caller.person.projects ?? undefined);
}

function realDay(param: string, text: string): string {
  const at = Date.parse(`${text}T00:00:00Z`);
  if (!Number.isNaN(at) && dayOf(at) === text) return text;
  throw new ApiError('invalid_request', `${param} is not a valid calendar date.`, { param });
}

const keyOfUsage = ({ environment, day, projectId, keyId, meter }: UsageLine): string =>
  [environment, day, projectId, keyId, meter].join(' ');

const showUsage = (line: UsageLine) => ({
  object: 'usage' as const,
  day: line.day,
  project_id: line.projectId,
  key_id: line.keyId,
  meter: line.meter,
  environment: line.environment,
  milliseconds: line.milliseconds,
  call_minutes: line.callMinutes,
  calls: line.calls,
});

const showInvoice = (invoice: Invoice) => ({
  object: 'invoice' as const,
  id: invoice.id,
  period: invoice.period,
  status: invoice.status,
  amount_micros: invoice.amountMicros,
  issued_at: invoice.issuedAt,
  lines: [...invoice.lines],
});
