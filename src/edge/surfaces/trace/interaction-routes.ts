import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { isId } from '../../../foundation/platform/ids.ts';
import { pageOf, pageStart } from '../../../foundation/platform/pages.ts';
import type { Blobs, Storage } from '../../../foundation/storage/index.ts';
import {
  builtinPacks,
  callConversation,
  canonicalNumber,
  conversationInWorker,
  type Interactions,
  interactionView,
  jobConversation,
  type Packs,
  type RawConversation,
  type TraceSettingsStore,
  type VerdictSigner,
  type WholeInteraction,
} from '../../../products/trace/index.ts';
import {
  EvaluateBody,
  Interaction,
  InteractionList,
  InteractionQuery,
  PackParams,
  Rerun,
  SigningKey,
  type Transcript,
} from './schemas.ts';

export interface InteractionDeps {
  readonly storage: Storage;
  readonly blobs: Pick<Blobs, 'get'>;
  readonly interactions: Interactions;
  readonly packs: Packs;
  readonly settings: TraceSettingsStore;
  readonly signer: VerdictSigner;
}

const tags = ['Trace'];
const READ = { access: { kind: 'key', scope: 'trace:read' } } as const;
/** The limit is a conversation of about four hours. */
const MAX_CHARACTERS = 300_000;

export function interactionRoutes(app: FastifyInstance, deps: InteractionDeps): void {
  const { interactions } = deps;
  app.post<{ Body: Static<typeof EvaluateBody> }>('/v1/trace/interactions', {
    config: { ...READ, idempotent: 'optional', errors: ['not_found'] },
    schema: {
      summary: 'Evaluate a transcript, a call or a transcription job',
      description:
        'Uses `rule_packs`, or the packs of the agent’s configuration. Personal data is redacted before anything is stored.',
      tags,
      body: EvaluateBody,
      response: { 201: Interaction },
    },
    handler: async (request, reply) => {
      const scope = tenantScopeOf(request.caller());
      const whole = await request.once(async (keep) => await evaluate(deps, scope, request.body, keep));
      return reply.code(201).send(whole);
    },
  });

  app.get<{ Querystring: Static<typeof InteractionQuery> }>('/v1/trace/interactions', {
    config: READ,
    schema: {
      summary: 'List evaluated conversations, newest first',
      tags,
      querystring: InteractionQuery,
      response: { 200: InteractionList },
    },
    handler: async (request) => {
      const { query } = request;
      const rows = await interactions.list(tenantScopeOf(request.caller()), query, query, pageStart(query));
      const end = (row: (typeof rows)[number]) => ({ createdAt: Number(row.created_at), id: row.id });
      return pageOf(rows, query, end, interactionView);
    },
  });

  app.get<{ Params: Static<typeof PackParams> }>('/v1/trace/interactions/:id', {
    config: READ,
    schema: {
      summary: 'Retrieve a conversation with its violations and findings',
      tags,
      params: PackParams,
      response: { 200: Interaction },
    },
    handler: async (request) => {
      const { id } = request.params;
      const found = isId('trace', id) ? await interactions.find(tenantScopeOf(request.caller()), id) : null;
      if (found === null) throw interactionNotFound();
      return found;
    },
  });

  app.post<{ Params: Static<typeof PackParams> }>('/v1/trace/interactions/:id/rerun', {
    config: READ,
    schema: {
      summary: 'Evaluate a conversation again with the same versions and compare the digests',
      tags,
      params: PackParams,
      response: { 200: Rerun },
    },
    handler: async (request) => {
      const { id } = request.params;
      const again = isId('trace', id) ? await interactions.again(tenantScopeOf(request.caller()), id) : null;
      if (again === null) throw interactionNotFound();
      const { before, after } = again;
      const same = before === after.digest;
      return { object: 'trace.rerun' as const, id, digest: before, digest_now: after.digest, same };
    },
  });

  app.get('/v1/trace/signing-key', {
    config: READ,
    schema: { summary: 'Get the public key for signature verification', tags, response: { 200: SigningKey } },
    handler: async () => ({
      object: 'trace.signing_key' as const,
      algorithm: 'Ed25519' as const,
      public_key: deps.signer.publicKey,
    }),
  });
}

const interactionNotFound = (): ApiError => new NoSuchError('interaction');

type StoreInteraction = Parameters<Parameters<import('fastify').FastifyRequest['once']>[0]>[0];

async function evaluate(
  { storage, blobs, interactions, packs, settings }: InteractionDeps,
  scope: TenantScope,
  body: Static<typeof EvaluateBody>,
  keep: StoreInteraction,
): Promise<WholeInteraction> {
  const raw = await sourceOf({ storage, blobs }, scope, body);
  const length = raw.utterances.reduce((sum, { text }) => sum + text.length, 0);
  if (length > MAX_CHARACTERS)
    throw new ApiError('invalid_request', `A conversation can have at most ${MAX_CHARACTERS} characters.`, {
      param: 'transcript',
    });
  const conversation = await conversationInWorker(raw, scope.org);
  const { rule_packs, webhook_url, enabled } = await settings.ofConversation(scope, conversation);
  const all = builtinPacks().map(({ id }) => ({ id }));
  const applied = await packs.chosen(scope, body.rule_packs ?? (enabled ? rule_packs : all));
  const judgment = await interactions.judge(scope, conversation, applied);
  return await storage.transaction(async (trx) => {
    const whole = await interactions.keep(trx, judgment, webhook_url);
    await keep(trx, whole);
    return whole;
  });
}

async function sourceOf(
  { storage, blobs }: Pick<InteractionDeps, 'storage' | 'blobs'>,
  scope: TenantScope,
  { transcript, call_id, job_id, roles }: Static<typeof EvaluateBody>,
): Promise<RawConversation> {
  if ([transcript, call_id, job_id].filter((one) => one !== undefined).length !== 1)
    throw new ApiError('invalid_request', 'Send exactly one of transcript, call_id and job_id.', {
      param: 'transcript',
    });
  if (transcript !== undefined) return rawOf(transcript);
  const found =
    call_id !== undefined
      ? await callConversation(storage.db, scope, call_id, blobs)
      : await jobConversation(storage.db, scope, job_id as string, roles);
  if (found === null) throw new NoSuchError('conversation, or it has no transcript');
  return found;
}

function rawOf({ turns, ...said }: Static<typeof Transcript>): RawConversation {
  const number = said.customer_number ?? null;
  const customerNumber = number === null ? null : canonicalNumber(number);
  if (number !== null && customerNumber === null)
    throw new ApiError(
      'invalid_request',
      'customer_number must be a telephone number in E.164 form, such as +34911234567.',
      {
        param: 'transcript.customer_number',
      },
    );
  return {
    source: { kind: 'transcript', id: null },
    language: said.language ?? null,
    agentId: said.agent_id ?? null,
    agentVersion: said.agent_version ?? null,
    externalId: said.external_id ?? null,
    customerNumber,
    direction: said.direction ?? null,
    startedAt: said.started_at ?? null,
    recordedFromMs: said.recorded_from_ms ?? null,
    knowledge: said.knowledge ?? null,
    utterances: turns.map(({ speaker, text, start_ms, end_ms, words }) => ({
      speaker,
      text,
      startMs: start_ms,
      endMs: end_ms,
      words,
    })),
  };
}
