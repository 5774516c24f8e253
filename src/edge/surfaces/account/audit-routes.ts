import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Principal } from '../../../foundation/access/index.ts';
import {
  type AuditEntry,
  type AuditView,
  auditPageEnd,
  readAuditLog,
  readAuditPage,
} from '../../../foundation/audit/index.ts';
import { DEFAULT_PAGE, PageQuery, pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { Storage } from '../../../foundation/storage/index.ts';
import { Nullable } from './schemas.ts';

const Since = Type.Integer({
  minimum: 0,
  description: 'Only return entries made at or after this Unix time in milliseconds.',
});
const ListQuery = Type.Object({ ...PageQuery.properties, since: Type.Optional(Since) });
type ListQuery = Static<typeof ListQuery>;
const ExportQuery = Type.Object({ since: Type.Optional(Since) });
type ExportQuery = Static<typeof ExportQuery>;

const AuditDetails = Nullable(Type.Object({}, { additionalProperties: true }));
const Entry = Type.Object({
  object: Type.Literal('audit.entry'),
  id: Type.String(),
  sequence: Type.Integer({ description: 'The position in the organization’s hash chain, starting at 1.' }),
  at: Type.Integer(),
  actor: Type.Object({ kind: Type.Enum(['user', 'key', 'operator', 'system']), id: Type.String() }),
  from: Nullable(Type.String({ description: 'The network address of the request.' })),
  action: Type.String(),
  target: Type.String(),
  before: AuditDetails,
  after: AuditDetails,
  request_id: Nullable(Type.String()),
  hash: Type.String({ description: 'SHA-256 hash of the entry and the hash of the previous entry.' }),
});
const EntryPage = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Entry),
  next_cursor: Nullable(Type.String()),
});

const show = (entry: AuditEntry) => ({
  object: 'audit.entry' as const,
  id: entry.id,
  sequence: entry.sequence,
  at: entry.at,
  actor: entry.actor,
  from: entry.from,
  action: entry.action,
  target: entry.target,
  before: entry.before,
  after: entry.after,
  request_id: entry.requestId,
  hash: entry.hash,
});

/** A person reads the whole audit log of the organization; a key reads its own tenant scope only. */
const viewOf = ({ orgId, person, projectId, environment }: Principal, since = 0): AuditView => ({
  orgId,
  scope: person === null ? { projectId, environment } : null,
  since,
});

const config = { access: { kind: 'member', scope: 'audit:read', role: 'admin' } } as const;
const tags = ['Audit'];

export function auditRoutes(app: FastifyInstance, storage: Storage): void {
  app.get<{ Querystring: ListQuery }>(
    '/v1/audit',
    {
      config,
      schema: {
        summary: 'List audit log entries, newest first',
        tags,
        querystring: ListQuery,
        response: { 200: EntryPage },
      },
    },
    async (request) => {
      const { query } = request;
      const view = viewOf(request.caller(), query.since);
      const count = (query.limit ?? DEFAULT_PAGE) + 1;
      return pageOf(
        await readAuditPage(storage.db, view, pageStart(query), count),
        query,
        auditPageEnd,
        show,
      );
    },
  );
  app.get<{ Querystring: ExportQuery }>(
    '/v1/audit/export',
    {
      config,
      schema: {
        summary: 'Export the complete audit log as JSON lines, oldest first',
        tags,
        querystring: ExportQuery,
        response: {
          200: {
            description: 'One entry per line.',
            content: { 'application/x-ndjson': { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const view = viewOf(request.caller(), request.query.since);
      reply.type('application/x-ndjson').header('content-disposition', 'attachment; filename="audit.jsonl"');
      return reply.send(Readable.from(lines(storage, view)));
    },
  );
}

async function* lines(storage: Storage, view: AuditView): AsyncGenerator<string> {
  for await (const entry of readAuditLog(storage.db, view)) yield `${JSON.stringify(show(entry))}\n`;
}
