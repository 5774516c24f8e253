import { type RawBuilder, sql } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { requireNoLegalHoldOn } from '../../foundation/privacy/index.ts';
import { type Dialect, newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { RecapCallRow } from '../../foundation/storage/tables/recap.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import { type Conversation, conversationIn, documentOf, type Role } from '../trace/index.ts';
import type { CrmField, Facts, RecapConfig, RecapDraft, RecapShare } from './contract.ts';
import { factsOf, sharesOf, withRoles } from './facts.ts';
import type { Score, Scorecards } from './scorecards.ts';

/** Writes the events of a record. */
export type Teller = (
  conversation: Conversation,
  fields: readonly CrmField[],
  tenant: string,
) => Promise<RecapDraft>;

export interface RecapCallsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly notify: Teller;
  readonly scorecards: Scorecards;
  readonly webhooks: Pick<Webhooks, 'publish'>;
}

/** Matches calls in which these words were spoken, in any case. */
const isSaid = (words: string, dialect: Dialect): RawBuilder<boolean> =>
  dialect === 'sqlite'
    ? sql`exists (select 1 from json_each(conversation, '$.utterances') as one
        where instr(lower(one.value ->> 'text'), lower(${words})) > 0)`
    : sql`exists (select 1 from jsonb_array_elements(conversation::jsonb -> 'utterances') as one
        where position(lower(${words}) in lower(one ->> 'text')) > 0)`;

interface Worked extends RecapDraft, Facts {
  /** The field is absent where one agent at most had the call. */
  readonly agents?: readonly RecapShare[];
  readonly scores: readonly Score[];
}

export interface RecapView extends Omit<Worked, 'summary'> {
  readonly id: string;
  readonly object: 'recap.call';
  readonly source: { readonly kind: RecapCallRow['source_kind']; readonly id: string };
  readonly agent_id: string | null;
  readonly agent_version: string | null;
  readonly external_id: string | null;
  readonly language: string | null;
  readonly summary: string;
  readonly summary_statements: RecapDraft['summary'];
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface RecapFilter {
  readonly agent_id?: string | undefined;
  readonly outcome?: string | undefined;
  readonly external_id?: string | undefined;
  readonly source_id?: string | undefined;
  readonly q?: string | undefined;
}

/** The records of ended calls; each is made once, and again when a person corrects the roles of speakers. */
export class RecapCalls {
  readonly #options: RecapCallsOptions;

  constructor(options: RecapCallsOptions) {
    this.#options = options;
  }

  async work(scope: TenantScope, conversation: Conversation, fields: readonly CrmField[]): Promise<Worked> {
    const facts = factsOf(conversation);
    const draft = await this.#options.notify(conversation, fields, scope.org);
    const agents = sharesOf(conversation, draft);
    const scores = await this.#options.scorecards.score(scope, conversation, facts);
    return { ...draft, ...facts, ...(agents === null ? {} : { agents }), scores };
  }

  /** Stores the record and its events once for each call, in the caller's transaction. */
  async keep(
    trx: Trx,
    scope: TenantScope,
    conversation: Conversation,
    worked: Worked,
    config: RecapConfig,
  ): Promise<void> {
    const now = this.#options.clock.now();
    const row = {
      id: newId('rcp'),
      source_kind: conversation.source.kind,
      source_id: conversation.source.id ?? '',
      agent_id: conversation.agentId,
      agent_version: conversation.agentVersion,
      external_id: conversation.externalId,
      outcome: worked.outcome,
      version: 1,
      document: JSON.stringify(worked),
      conversation: documentOf(conversation),
      created_at: now,
      updated_at: now,
    };
    const written = await withinTenant(trx, scope)
      .insertInto('recap_calls', row)
      .onConflict((conflict) =>
        conflict.columns(['org_id', 'project_id', 'environment', 'source_id']).doNothing(),
      )
      .returningAll()
      .executeTakeFirst();
    if (written === undefined) return;
    await this.#keepScores(trx, scope, written, worked.scores);
    const draft = { scope, data: viewOf(written), resource: written.id };
    const urls = config.webhook_url === null ? [] : [config.webhook_url];
    await this.#options.webhooks.publish(trx, { ...draft, type: 'recap.complete', urls });
    await this.#options.webhooks.publish(trx, { ...draft, type: 'recap.call.completed', urls: [] });
  }

  async find(scope: TenantScope, id: string): Promise<RecapCallRow | null> {
    const row = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('recap_calls')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row ?? null;
  }

  /** Returns one row more than the page, newest first. */
  async list(
    scope: TenantScope,
    filter: RecapFilter,
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<RecapCallRow[]> {
    let rows = withinTenant(this.#options.storage.db, scope).selectFrom('recap_calls').selectAll();
    for (const name of ['agent_id', 'outcome', 'external_id', 'source_id'] as const) {
      const value = filter[name];
      if (value !== undefined) rows = rows.where(name, '=', value);
    }
    if (filter.q !== undefined) rows = rows.where(isSaid(filter.q, this.#options.storage.dialect));
    return await newestFirst(rows, query, start).execute();
  }

  /** Computes the record again with the corrected roles. A concurrent correction wins, and this one is refused. */
  async correct(
    scope: TenantScope,
    id: string,
    roles: Readonly<Record<string, Role>>,
    { fields, webhookUrl }: { readonly fields: readonly CrmField[]; readonly webhookUrl: string | null },
  ): Promise<RecapView> {
    const row = await this.find(scope, id);
    if (row === null) throw new NoSuchError('call');
    const before = conversationIn(row.conversation);
    checkLabels(before, roles);
    const conversation = withRoles(before, roles);
    const worked = await this.work(scope, conversation, fields);
    return await this.#options.storage.transaction(async (trx) => {
      const written = await withinTenant(trx, scope)
        .updateTable('recap_calls')
        .set({
          outcome: worked.outcome,
          version: row.version + 1,
          document: JSON.stringify(worked),
          conversation: documentOf(conversation),
          updated_at: this.#options.clock.now(),
        })
        .where('id', '=', id)
        .where('version', '=', row.version)
        .returningAll()
        .executeTakeFirst();
      if (written === undefined)
        throw new ApiError(
          'version_conflict',
          'Another request has changed the record. Retrieve it again and repeat the change.',
        );
      await this.#keepScores(trx, scope, written, worked.scores);
      const view = viewOf(written);
      const urls = webhookUrl === null ? [] : [webhookUrl];
      await this.#options.webhooks.publish(trx, {
        scope,
        type: 'recap.call.corrected',
        data: view,
        resource: id,
        urls,
      });
      return view;
    });
  }

  /** Removes the record, its transcript and its scores; the call or job stays. Returns false where there is none. */
  async remove(scope: TenantScope, id: string): Promise<boolean> {
    await requireNoLegalHoldOn(this.#options.storage.db, scope, id);
    const removed = await this.#options.storage.transaction(async (trx) => {
      const own = withinTenant(trx, scope);
      await own.deleteFrom('recap_scores').where('recap_id', '=', id).execute();
      const { numDeletedRows } = await own.deleteFrom('recap_calls').where('id', '=', id).executeTakeFirst();
      return numDeletedRows > 0n;
    });
    if (removed) await this.#options.storage.scrub();
    return removed;
  }

  async #keepScores(
    trx: Trx,
    scope: TenantScope,
    row: RecapCallRow,
    scores: readonly Score[],
  ): Promise<void> {
    const own = withinTenant(trx, scope);
    await own.deleteFrom('recap_scores').where('recap_id', '=', row.id).execute();
    for (const { scorecard_id, criterion_id, value } of scores)
      await own
        .insertInto('recap_scores', {
          recap_id: row.id,
          scorecard_id,
          criterion: criterion_id,
          value,
          agent_id: row.agent_id,
          agent_version: row.agent_version,
          day: new Date(Number(row.created_at)).toISOString().slice(0, 10),
        })
        .execute();
  }
}

/** Refuses a label that no speaker of the call has. */
function checkLabels(conversation: Conversation, roles: Readonly<Record<string, Role>>): void {
  const known = new Set(factsOf(conversation).speakers.map(({ label }) => label));
  const odd = Object.keys(roles).find((label) => !known.has(label));
  if (odd !== undefined)
    throw new ApiError(
      'invalid_request',
      `No speaker of the call has the label ${odd}. Labels: ${[...known].join(', ')}.`,
      { param: 'speakers' },
    );
}

export function viewOf(row: RecapCallRow): RecapView {
  const { summary, ...worked } = JSON.parse(row.document) as Worked;
  const { language } = conversationIn(row.conversation);
  return {
    id: row.id,
    object: 'recap.call',
    source: { kind: row.source_kind, id: row.source_id },
    agent_id: row.agent_id,
    agent_version: row.agent_version,
    external_id: row.external_id,
    language,
    summary: summary.map(({ text }) => text).join(' '),
    summary_statements: summary,
    ...worked,
    agent_response_ms: worked.agent_response_ms ?? null,
    version: row.version,
    created_at: Number(row.created_at),
    updated_at: Number(row.updated_at),
  };
}
