import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { TraceInteractionRow, TraceResultRow } from '../../foundation/storage/tables/trace.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import { agentAt, agentIdsOf } from './agent-shares.ts';
import type { Conversation, JudgedRule, Severity, TraceVerdict } from './contract.ts';
import { conversationIn, documentOf } from './conversation.ts';
import { suppress } from './gate/contact-permissions.ts';
import { judgeInWorker } from './in-worker.ts';
import type { AppliedPack } from './judge.ts';
import type { JudgementInputCollector } from './judgement-input-collector.ts';
import { tagOf } from './packs/reading.ts';
import type { Packs } from './packs/store.ts';
import type { VerdictSigner } from './verdict-signer.ts';
import { type WholeInteraction, wholeInteraction } from './views.ts';

export interface InteractionsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly inputs: JudgementInputCollector;
  readonly packs: Packs;
  readonly webhooks: Pick<Webhooks, 'publish'>;
  readonly signer: VerdictSigner;
}

/** A judged conversation that is not stored yet. */
export interface Judgment {
  readonly id: string;
  readonly scope: TenantScope;
  readonly conversation: Conversation;
  readonly packs: readonly AppliedPack[];
  readonly verdict: TraceVerdict;
}

export interface InteractionFilter {
  readonly verdict?: string | undefined;
  readonly agent_id?: string | undefined;
  readonly source_id?: string | undefined;
}

type Head = Omit<TraceInteractionRow, 'document' | 'later_agents'>;
const HEAD = [
  'id',
  'org_id',
  'project_id',
  'environment',
  'source_kind',
  'source_id',
  'agent_id',
  'agent_version',
  'external_id',
  'verdict',
  'digest',
  'signature',
  'packs',
  'unjudged',
  'created_at',
] as const satisfies readonly (keyof TraceInteractionRow)[];

/** Stores judged conversations with their findings; each is written once. */
export class Interactions {
  readonly #options: InteractionsOptions;

  constructor(options: InteractionsOptions) {
    this.#options = options;
  }

  async judge(
    scope: TenantScope,
    conversation: Conversation,
    packs: readonly AppliedPack[],
  ): Promise<Judgment> {
    const verdict = await judgeInWorker(conversation, packs, this.#options.inputs, scope.org);
    return { id: newId('trace'), scope, conversation, packs, verdict };
  }

  /** Writes the verdict, the findings, do-not-call requests and events in the caller's transaction. */
  async keep(trx: Trx, judgment: Judgment, webhookUrl: string | null): Promise<WholeInteraction> {
    const { id, scope, conversation, verdict } = judgment;
    const now = this.#options.clock.now();
    const row = this.#rowOf(judgment, now);
    const own = withinTenant(trx, scope);
    await own.insertInto('trace_interactions', row).execute();
    const results = verdict.results.map((result) => resultRow(result, id, conversation, now));
    for (const result of results) await own.insertInto('trace_results', result).execute();
    const { customerNumber } = conversation;
    const asks = verdict.results.find(({ effect }) => effect === 'suppress');
    if (asks !== undefined && customerNumber !== null)
      await suppress(trx, scope, now, {
        phone_number: customerNumber,
        reason: `asked in a conversation: ${asks.evidence.quote}`,
        interaction_id: id,
      });
    const place = { org_id: scope.org, project_id: scope.project, environment: scope.environment };
    const whole = wholeInteraction(
      { ...row, ...place },
      results.map((result) => ({ ...result, ...place })),
    );
    await this.#options.webhooks.publish(trx, {
      scope,
      type: 'trace.interaction.evaluated',
      data: whole,
      resource: id,
      urls: webhookUrl === null ? [] : [webhookUrl],
    });
    return whole;
  }

  async find(scope: TenantScope, id: string): Promise<WholeInteraction | null> {
    const row = await this.#row(scope, id);
    if (row === null) return null;
    const results = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('trace_results')
      .selectAll()
      .where('interaction_id', '=', id)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return wholeInteraction(row, results);
  }

  /** Returns one row more than the page, newest first. */
  async list(
    scope: TenantScope,
    filter: InteractionFilter,
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<Head[]> {
    let rows = withinTenant(this.#options.storage.db, scope).selectFrom('trace_interactions').select(HEAD);
    for (const name of ['verdict', 'source_id'] as const) {
      const value = filter[name];
      if (value !== undefined) rows = rows.where(name, '=', value as never);
    }
    const { agent_id: agent } = filter;
    if (agent !== undefined)
      rows = rows.where((is) =>
        AGENT_ID.test(agent)
          ? is.or([is('agent_id', '=', agent), is('later_agents', 'like', `%"${agent}"%`)])
          : is('agent_id', '=', agent),
      );
    return await newestFirst(rows, query, start).execute();
  }

  /** Judges a stored conversation again by the packs and versions of that time. Returns null where it was removed. */
  async again(scope: TenantScope, id: string): Promise<{ before: string; after: TraceVerdict } | null> {
    const row = await this.#row(scope, id);
    if (row === null || row.document === null) return null;
    const asked = JSON.parse(row.packs) as { id: string; severity?: Severity }[];
    const packs = await this.#options.packs.chosen(scope, asked);
    const { verdict } = await this.judge(scope, conversationIn(row.document), packs);
    return { before: row.digest, after: verdict };
  }

  /** Returns stored conversations, newest first, for a dry run of a pack. */
  async conversations(scope: TenantScope, ids: readonly string[] | null, most: number) {
    let rows = withinTenant(this.#options.storage.db, scope)
      .selectFrom('trace_interactions')
      .select(['id', 'document'])
      .where('document', 'is not', null);
    if (ids !== null) rows = rows.where('id', 'in', [...ids]);
    const found = await rows.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(most).execute();
    return found.map(({ id, document }) => ({ id, conversation: conversationIn(document as string) }));
  }

  async #row(scope: TenantScope, id: string): Promise<TraceInteractionRow | null> {
    const row = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('trace_interactions')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row ?? null;
  }

  #rowOf({ id, conversation, packs, verdict }: Judgment, now: number) {
    return {
      id,
      source_kind: conversation.source.kind,
      source_id: conversation.source.id,
      agent_id: conversation.agentId,
      agent_version: conversation.agentVersion,
      later_agents: laterAgentsOf(conversation),
      external_id: conversation.externalId,
      verdict: verdict.verdict,
      digest: verdict.digest,
      signature: this.#options.signer.sign(verdict.digest),
      packs: JSON.stringify(
        packs.map(({ id: pack, pack: { pack_id, version }, pack: spec, severity }) => ({
          id: pack,
          pack_id,
          version,
          etag: tagOf(spec),
          severity,
        })),
      ),
      unjudged: JSON.stringify(verdict.unjudged),
      document: documentOf(conversation),
      created_at: now,
    };
  }
}

/** Only such an id is looked up among several, because a pattern has no other characters in it. */
const AGENT_ID = /^agt_[0-9A-Za-z]+$/;

function laterAgentsOf(conversation: Conversation): string | null {
  const later = agentIdsOf(conversation).filter((id) => id !== null && id !== conversation.agentId);
  return later.length === 0 ? null : JSON.stringify(later);
}

type Unbordered = Omit<TraceResultRow, 'org_id' | 'project_id' | 'environment'>;

function resultRow(
  result: JudgedRule,
  interaction: string,
  conversation: Conversation,
  now: number,
): Unbordered {
  const { title, evidence, exposure } = result;
  const { agentId, agentVersion } = agentAt(conversation, evidence.start_ms);
  return {
    id: newId('tres'),
    interaction_id: interaction,
    outcome: result.outcome,
    pack: result.pack,
    pack_id: result.pack_id,
    pack_version: result.pack_version,
    rule_id: result.rule_id,
    severity: result.severity,
    agent_id: agentId,
    agent_version: agentVersion,
    day: new Date(now).toISOString().slice(0, 10),
    status: 'open',
    currency: exposure?.currency ?? null,
    least_micros: exposure?.least_micros ?? 0,
    most_micros: exposure?.most_micros ?? 0,
    document: JSON.stringify({ title, evidence }),
    moves: '[]',
    created_at: now,
  };
}
