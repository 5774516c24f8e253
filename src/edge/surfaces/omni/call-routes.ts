import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type CallListRow, type CallStore, checkCallFilter } from '../../../conversation/calls/index.ts';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import { CallSummary } from '../../../foundation/events/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { OmniCallRow } from '../../../foundation/storage/tables/omni.ts';
import type { Recordings } from '../../../media/recordings/index.ts';
import { CallQuery } from './call-query.ts';
import { CallTranscript, OmniCall, showCall, showHead, showTranscript } from './call-schemas.ts';
import { showSummary } from './post-call-schemas.ts';
import { sendTranscript, type TranscriptRoutesDeps, transcriptRoute } from './transcript-route.ts';

const CallParams = Type.Object({ call_id: Type.String({ maxLength: 256 }) });
type CallParams = Static<typeof CallParams>;

const config = { access: { kind: 'key', scope: 'omni:read' } } as const;

const CallList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(OmniCall),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
const Deleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('omni.call'),
  deleted: Type.Literal(true),
});

export interface OmniCallRoutesDeps extends TranscriptRoutesDeps {
  readonly calls: CallStore;
  readonly recordings: Recordings;
}

export function callRoutes(app: FastifyInstance, deps: OmniCallRoutesDeps): void {
  const { calls, recordings, blobs, transcriptLinks } = deps;
  transcriptRoute(app, deps);
  app.get<{ Querystring: CallQuery }>(
    '/v1/omni/calls',
    {
      config,
      schema: {
        summary: 'List calls, newest first',
        description:
          'If several filters are set, a call must match all of them. A cursor is only valid with the filters it was returned for.',
        tags: ['Omni'],
        querystring: CallQuery,
        response: { 200: CallList },
      },
    },
    async (request) => {
      checkCallFilter(request.query);
      const rows = await calls.list(request.tenantScope(), request.query, pageStart(request.query));
      const end = (row: CallListRow) => ({ createdAt: row.created_at, id: row.id });
      const ids = rows.map(({ id }) => id);
      const recorded = await recordings.among(request.tenantScope(), ids);
      return pageOf(rows, request.query, end, (row) => showHead(row, recorded.has(row.id)));
    },
  );
  app.get<{ Params: CallParams }>(
    '/v1/omni/calls/:call_id',
    {
      config,
      schema: {
        summary: 'Retrieve a call with all details',
        tags: ['Omni'],
        params: CallParams,
        response: { 200: OmniCall },
      },
    },
    async (request) => {
      const row = await find(calls, request.tenantScope(), request.params);
      return showCall(row, await recordings.find(request.tenantScope(), row.id), (id) =>
        transcriptLinks.url(id),
      );
    },
  );
  app.get<{ Params: CallParams }>(
    '/v1/omni/calls/:call_id/transcript',
    {
      config,
      schema: {
        summary: 'Get the transcript of a call',
        tags: ['Omni'],
        params: CallParams,
        response: { 200: CallTranscript },
      },
    },
    async (request, reply) => {
      const row = await find(calls, request.tenantScope(), request.params);
      if (row.transcript_removed_at !== null)
        throw new ApiError(
          'not_found',
          'The transcript of this call was deleted after its retention period.',
        );
      return row.transcript_offloaded_at === null
        ? showTranscript(row)
        : await sendTranscript(reply, blobs, row.id);
    },
  );
  app.get<{ Params: CallParams }>(
    '/v1/omni/calls/:call_id/summary',
    {
      config,
      schema: {
        summary: 'Get the summary of a call',
        description:
          'The summary is written by the configured language model, or consists of sentences of the call; `by` says which.',
        tags: ['Omni'],
        params: CallParams,
        response: { 200: CallSummary },
      },
    },
    async (request) => {
      const row = await find(calls, request.tenantScope(), request.params);
      const { summary, summary_result: result } = showSummary(row);
      if (summary === undefined)
        throw new ApiError('not_found', `there is no summary of this call: ${result.reason}`);
      return summary;
    },
  );
  app.delete<{ Params: CallParams }>(
    '/v1/omni/calls/:call_id',
    {
      config: { access: { kind: 'key', scope: 'omni:manage' }, errors: ['legal_hold'] },
      schema: {
        summary: 'Delete a call with its transcript, recording and summary',
        tags: ['Omni'],
        params: CallParams,
        response: { 200: Deleted },
      },
    },
    async (request) => {
      const { call_id: id } = request.params;
      if (!isId('ocl', id) || !(await calls.delete(request.tenantScope(), id))) throw notFound();
      await recordings.forget(request.tenantScope(), id);
      return { id, object: 'omni.call' as const, deleted: true as const };
    },
  );
}

async function find(calls: CallStore, scope: TenantScope, { call_id: id }: CallParams): Promise<OmniCallRow> {
  const row = isId('ocl', id) ? await calls.find(scope, id) : null;
  if (row === null) throw notFound();
  return row;
}

const notFound = (): ApiError => new ApiError('not_found', 'there is no such call');
