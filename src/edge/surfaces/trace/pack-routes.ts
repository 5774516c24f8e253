import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { pageOfWhole, WholeQuery } from '../../../foundation/platform/pages.ts';
import {
  type Interactions,
  type JudgementInputCollector,
  noSuchPack,
  PackError,
  type Packs,
  type ReadPack,
  RulePack,
  readPackInWorker,
  tryExamplesInWorker,
} from '../../../products/trace/index.ts';
import {
  DryRun,
  DryRunBody,
  Pack,
  PackBody,
  PackDeleted,
  PackList,
  PackParams,
  PackSchema,
  PackStatusBody,
} from './schemas.ts';

export interface PackDeps {
  readonly packs: Packs;
  readonly interactions: Interactions;
  readonly inputs: JudgementInputCollector;
}

const tags = ['Trace'];
const CONFIGURE = { access: { kind: 'key', scope: 'trace:configure' } } as const;
const LATEST = 20;

export function packRoutes(app: FastifyInstance, deps: PackDeps): void {
  const { packs } = deps;
  app.get<{ Querystring: WholeQuery }>('/v1/trace/rule-packs', {
    config: CONFIGURE,
    schema: {
      summary: 'List built-in and custom rule packs',
      tags,
      querystring: WholeQuery,
      response: { 200: PackList },
    },
    handler: async (request) =>
      pageOfWhole(
        await packs.list(tenantScopeOf(request.caller())),
        request.query,
        ({ id }) => id,
        (pack) => pack,
      ),
  });

  app.post<{ Body: Static<typeof PackBody> }>('/v1/trace/rule-packs', {
    config: { ...CONFIGURE, errors: ['version_conflict'] },
    schema: {
      summary: 'Upload a version of a rule pack',
      description:
        'Versions are immutable: uploading identical content again returns the existing version, and different rules under the same version number are rejected. The examples in the pack must pass.',
      tags,
      body: PackBody,
      response: { 201: Pack },
    },
    handler: async (request, reply) => {
      const { org } = request.tenantScope();
      const read = await packOf(request.body, org);
      const failed = (await tryExamplesInWorker(read, deps.inputs, org)).find(({ passed }) => !passed);
      if (failed !== undefined)
        throw new ApiError(
          'invalid_request',
          `Example ${failed.example} of ${failed.rule_id} expects ${failed.expected}, but the rule returns ${failed.got}.`,
          { param: 'spec' },
        );
      const view = await packs.upload(request.tenantScope(), read.pack);
      return reply.code(201).header('etag', `"${view.etag}"`).send(view);
    },
  });

  app.get('/v1/trace/rule-packs/schema', {
    config: CONFIGURE,
    schema: { summary: 'Get the JSON Schema of a rule pack', tags, response: { 200: PackSchema } },
    handler: async () => ({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...RulePack }),
  });

  app.get<{ Params: Static<typeof PackParams> }>('/v1/trace/rule-packs/:id', {
    config: CONFIGURE,
    schema: { summary: 'Retrieve a rule pack', tags, params: PackParams, response: { 200: Pack } },
    handler: async (request, reply) => {
      const view = await packs.find(tenantScopeOf(request.caller()), request.params.id);
      if (view === null) throw noSuchPack();
      return reply.header('etag', `"${view.etag}"`).send(view);
    },
  });

  app.patch<{ Params: Static<typeof PackParams>; Body: Static<typeof PackStatusBody> }>(
    '/v1/trace/rule-packs/:id',
    {
      config: { ...CONFIGURE, errors: ['version_conflict'] },
      schema: {
        summary: 'Retire or reactivate a version of a rule pack',
        description: 'With If-Match, the request only succeeds if the rule pack still has that ETag.',
        tags,
        params: PackParams,
        body: PackStatusBody,
        response: { 200: Pack },
      },
      handler: async (request) => {
        const etag = request.headers['if-match']?.replaceAll('"', '') ?? null;
        return await packs.move(
          tenantScopeOf(request.caller()),
          request.params.id,
          request.body.status,
          etag,
        );
      },
    },
  );

  app.delete<{ Params: Static<typeof PackParams> }>('/v1/trace/rule-packs/:id', {
    config: { ...CONFIGURE, errors: ['not_found', 'version_conflict'] },
    schema: {
      summary: 'Delete a version of a custom rule pack',
      description:
        'A version that a configuration uses cannot be deleted. Existing results are kept, but conversations evaluated with the version cannot be evaluated again. With If-Match, the request only succeeds if the rule pack still has that ETag.',
      tags,
      params: PackParams,
      response: { 200: PackDeleted },
    },
    handler: async (request) => {
      const { id } = request.params;
      await packs.remove(
        tenantScopeOf(request.caller()),
        id,
        request.headers['if-match']?.replaceAll('"', '') ?? null,
      );
      return { id, object: 'trace.rule_pack' as const, deleted: true as const };
    },
  });

  app.post<{ Body: Static<typeof DryRunBody> }>('/v1/trace/rule-packs/dry-run', {
    config: { ...CONFIGURE, errors: ['not_found'] },
    schema: {
      summary: 'Test a rule pack on its examples and on past conversations',
      description: 'Nothing is stored.',
      tags,
      body: DryRunBody,
      response: { 200: DryRun },
    },
    handler: async (request) => await dryRun(deps, tenantScopeOf(request.caller()), request.body),
  });
}

async function dryRun(
  { packs, interactions, inputs }: PackDeps,
  scope: TenantScope,
  body: Static<typeof DryRunBody>,
) {
  const given = body.id === undefined ? body : { spec: (await packs.find(scope, body.id))?.spec };
  if (body.id !== undefined && given.spec === undefined) throw noSuchPack();
  const read = await packOf(given, scope.org);
  const { pack } = read;
  const applied = [{ id: body.id ?? 'tpack_dry_run', pack }];
  const past = await interactions.conversations(scope, body.interactions ?? null, body.last ?? LATEST);
  const judged = [];
  for (const { id, conversation } of past) {
    const { verdict } = await interactions.judge(scope, conversation, applied);
    const results = verdict.results.map(({ rule_id, outcome, severity, evidence }) => ({
      rule_id,
      outcome,
      severity,
      ...evidence,
    }));
    judged.push({ id, verdict: verdict.verdict, results, unjudged: [...verdict.unjudged] });
  }
  const examples = [...(await tryExamplesInWorker(read, inputs, scope.org))];
  const { pack_id, version } = pack;
  return { object: 'trace.dry_run' as const, pack_id, version, examples, interactions: judged };
}

async function packOf({ spec, yaml }: Static<typeof PackBody>, tenant: string): Promise<ReadPack> {
  if ((spec === undefined) === (yaml === undefined))
    throw new ApiError('invalid_request', 'Send the pack either as spec or as yaml.', { param: 'spec' });
  try {
    return await readPackInWorker(yaml === undefined ? { spec } : { yaml }, tenant);
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    const param = error.path === '' ? 'spec' : `spec.${error.path}`;
    throw new ApiError('invalid_request', error.message, { param: param.slice(0, 200) });
  }
}
