import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { AccessControl } from '../../../foundation/access/contract.ts';
import { NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import type { Storage } from '../../../foundation/storage/index.ts';
import type { TelephonyCallRow } from '../../../foundation/storage/tables/telephony.ts';
import {
  type CallCommands,
  type CallCosts,
  type CallDispatcher,
  callView,
  hangUpCall,
  type LivePhoneCalls,
  type TelephonyCallStore,
  withReservation,
} from '../../../telephony/dialling/index.ts';
import { MANAGE } from './access.ts';
import { checkUrl } from './check-url.ts';
import {
  CallBody,
  CallList,
  CallParams,
  CallQuery,
  CallView,
  KeysBody,
  TransferBody,
  WhisperBody,
} from './schemas.ts';

export interface TelephonyCallRoutesDeps {
  readonly storage: Storage;
  readonly access: Pick<AccessControl, 'admit'>;
  readonly dispatcher: CallDispatcher;
  readonly records: TelephonyCallStore;
  readonly costs: Pick<CallCosts, 'of'>;
  readonly phones: LivePhoneCalls;
  readonly commands: CallCommands;
  readonly gate: Pick<UrlGate, 'check'>;
}

const tags = ['Telephony'];

export function callRoutes(app: FastifyInstance, deps: TelephonyCallRoutesDeps): void {
  const { storage, access, dispatcher, records, gate } = deps;

  app.post<{ Body: CallBody }>('/v1/telephony/calls', {
    config: { ...MANAGE, idempotent: 'optional', meters: true, errors: ['destination_not_allowed'] },
    schema: {
      summary: 'Create an outbound call',
      description:
        'The call is queued and dialed immediately, or at `schedule_at`. Before each dial, the Trace gate and the guards of this server check the call; a refused call ends as `failed` with the error code in `end_detail`. With `amd`, answering-machine detection runs first: a voicemail receives the `message` after its beep, or the call is hung up.',
      tags,
      body: CallBody,
      response: { 201: CallView },
    },
    handler: async (request, reply) => {
      const { webhook_url: url } = request.body;
      if (typeof url === 'string') checkUrl(gate, url, 'webhook_url');
      const caller = request.caller();
      const view = await request.once(async (keep) => {
        const checked = await dispatcher.check(request.tenantScope(), request.body);
        return await withReservation(access, caller, request.body, (id) =>
          storage.transaction(async (trx) => {
            const row = await dispatcher.place(trx, caller, request.body, checked, { id });
            const made = { ...callView(row), cost: NO_COST };
            await keep(trx, made);
            return made;
          }),
        );
      });
      return reply.code(201).send(view);
    },
  });

  app.get<{ Querystring: Static<typeof CallQuery> }>('/v1/telephony/calls', {
    config: MANAGE,
    schema: {
      summary: 'List calls, newest first',
      tags,
      querystring: CallQuery,
      response: { 200: CallList },
    },
    handler: async (request) => {
      const { query } = request;
      const rows = await records.list(request.tenantScope(), query, query, pageStart(query));
      const end = (row: TelephonyCallRow) => ({ createdAt: Number(row.created_at), id: row.id });
      const costs = await deps.costs.of(rows);
      return pageOf(rows, query, end, (row) => ({ ...callView(row), cost: costs.get(row.id) ?? NO_COST }));
    },
  });

  app.get<{ Params: Static<typeof CallParams> }>('/v1/telephony/calls/:call_id', {
    config: MANAGE,
    schema: { summary: 'Retrieve a call', tags, params: CallParams, response: { 200: CallView } },
    handler: async (request) => await shown(deps, await rowOf(deps, request)),
  });

  actionRoutes(app, deps);
}

function actionRoutes(app: FastifyInstance, deps: TelephonyCallRoutesDeps): void {
  const { commands, records } = deps;
  const LIVE = { ...MANAGE, errors: ['call_not_live', 'unavailable'] } as const;

  app.post<{ Params: Static<typeof CallParams> }>('/v1/telephony/calls/:call_id/hangup', {
    config: LIVE,
    schema: {
      summary: 'End a call, or cancel a scheduled call',
      description: 'A call that has already ended is unchanged.',
      tags,
      params: CallParams,
      response: { 200: CallView },
    },
    handler: async (request) => {
      const row = await rowOf(deps, request);
      const scope = request.tenantScope();
      await hangUpCall(deps, scope, row);
      return await shown(deps, (await records.find(scope, row.id)) ?? row);
    },
  });

  app.post<{ Params: Static<typeof CallParams>; Body: Static<typeof TransferBody> }>(
    '/v1/telephony/calls/:call_id/transfer',
    {
      config: {
        ...MANAGE,
        errors: ['call_not_live', 'transfer_refused', 'destination_not_allowed', 'unavailable'],
      },
      schema: {
        summary: 'Transfer a call',
        description:
          'Cold: the carrier connects the two parties, and the call ends here. Warm: the other party is called and hears the briefing while the caller hears music; pressing 1 accepts the call, otherwise it returns to the agent.',
        tags,
        params: CallParams,
        body: TransferBody,
        response: { 200: CallView },
      },
      handler: async (request) => {
        const row = await rowOf(deps, request);
        await commands.run(request.tenantScope(), row, { kind: 'transfer', order: request.body });
        return await shown(deps, (await records.find(request.tenantScope(), row.id)) ?? row);
      },
    },
  );

  app.post<{ Params: Static<typeof CallParams>; Body: Static<typeof KeysBody> }>(
    '/v1/telephony/calls/:call_id/keys',
    {
      config: LIVE,
      schema: {
        summary: 'Send DTMF digits in a call',
        tags,
        params: CallParams,
        body: KeysBody,
        response: { 200: CallView },
      },
      handler: async (request) => {
        const row = await rowOf(deps, request);
        await commands.run(request.tenantScope(), row, { kind: 'keys', digits: request.body.digits });
        return await shown(deps, row);
      },
    },
  );

  app.post<{ Params: Static<typeof CallParams>; Body: Static<typeof WhisperBody> }>(
    '/v1/telephony/calls/:call_id/whisper',
    {
      config: {
        access: { kind: 'key', scope: 'telephony:supervise' },
        errors: ['call_not_live', 'unavailable'],
      },
      schema: {
        summary: 'Send a message to the agent of a call that the other party does not hear',
        description:
          'The message applies from the agent’s next words. The audit log records that a message was sent, but not its text. To listen to, join or take over a call, use the WebSocket `/v1/telephony/supervise`.',
        tags,
        params: CallParams,
        body: WhisperBody,
        response: { 200: CallView },
      },
      handler: async (request) => {
        const row = await rowOf(deps, request);
        const { text } = request.body;
        await commands.run(request.tenantScope(), row, { kind: 'whisper', text, by: request.doer() });
        return await shown(deps, row);
      },
    },
  );
}

const NO_COST = { micros: 0, meters: {} };

const shown = async ({ costs }: TelephonyCallRoutesDeps, row: TelephonyCallRow) => ({
  ...callView(row),
  cost: (await costs.of([row])).get(row.id) ?? NO_COST,
});

export type CallRequest = FastifyRequest<{ Params: Static<typeof CallParams> }>;

export async function rowOf(
  { records }: Pick<TelephonyCallRoutesDeps, 'records'>,
  request: CallRequest,
): Promise<TelephonyCallRow> {
  const { call_id: id } = request.params;
  const row = isId('tcl', id) ? await records.find(request.tenantScope(), id) : null;
  if (row === null) throw new NoSuchError('call');
  return row;
}
