import type { Transaction } from 'kysely';
import { advanceCall, beginCall, callIdOf, usageIdOf } from '../../conversation/calls/index.ts';
import type { TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../foundation/access/index.ts';
import type { Billing } from '../../foundation/billing/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, type Storage, type Tables, withinTenant } from '../../foundation/storage/index.ts';
import type { AmdCallRow } from '../../foundation/storage/tables/amd.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import type { Answer, CallRest, DecidedCall, DetectionRecords, Fingerprint } from '../../speech/amd/index.ts';
import { type AmdCall, viewOf } from './view.ts';

export interface AmdCallFilter {
  readonly answered_by?: string | undefined;
  readonly call_sid?: string | undefined;
}

export interface AmdCallStoreOptions {
  readonly storage: Storage;
  readonly billing: Pick<Billing, 'recordServedUsage'>;
  readonly webhooks: Pick<Webhooks, 'publish'>;
  readonly clock: Clock;
}

/** Calls with these answers are billed. */
const ANSWERED: readonly Answer[] = ['human', 'voicemail', 'ivr', 'receptionist', 'screening', 'fax'];
/** A new greeting is compared with this many earlier ones of the number. */
const MOST_GREETINGS = 20;

export class AmdCallStore implements DetectionRecords {
  readonly #options: AmdCallStoreOptions;

  constructor(options: AmdCallStoreOptions) {
    this.#options = options;
  }

  /** Writes the record, the usage and the event in one transaction, which is retried while the database is away. */
  async decided(call: DecidedCall): Promise<void> {
    const { billing, clock, storage, webhooks } = this.#options;
    const { principal, verdict } = call;
    const callId = call.partOf ?? callIdOf(call.id);
    const { orgId, projectId, keyId, environment } = principal;
    const now = clock.now();
    const row = rowOf(call, callId, now);
    const usage = {
      id: usageIdOf(call.id),
      use: 'amd.detection' as const,
      reservationId: call.hold,
      orgId,
      projectId,
      keyId,
      environment,
      milliseconds: 0,
      count: ANSWERED.includes(verdict.answeredBy) ? 1 : 0,
      bundled: call.bundled,
      resource: call.id,
      occurredAt: now,
    };
    await billing.recordServedUsage(usage, async (transaction) => {
      const written = await withinTenant(transaction, tenantScopeOf(principal))
        .insertInto('amd_calls', row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst();
      if (written === undefined) return;
      if (call.partOf === null)
        await beginCall(transaction, tenantScopeOf(principal), {
          id: callId,
          keyId,
          kind: 'amd',
          direction: 'outbound',
          state: { kind: 'answered', answeredAt: now },
          nodeId: storage.nodeId,
          createdAt: now,
        });
      await webhooks.publish(transaction, {
        scope: tenantScopeOf(principal),
        type: 'amd.decided',
        data: viewOf(row),
        urls: call.webhookUrl === null ? [] : [call.webhookUrl],
      });
    });
  }

  /** Records the end of a call; the event of a machine's ended message is part of the transaction. */
  async ended(scope: TenantScope, id: string, rest: CallRest, webhookUrl: string | null): Promise<void> {
    const { clock, storage, webhooks } = this.#options;
    await storage.transaction(async (transaction) => {
      const row = await withinTenant(transaction, scope)
        .updateTable('amd_calls')
        .set({
          message_end: rest.messageEnd === null ? null : JSON.stringify(rest.messageEnd),
          updates: rest.updates.length === 0 ? null : JSON.stringify(rest.updates),
          evidence: JSON.stringify(rest.evidence),
          transcript: rest.transcript,
          fingerprint: rest.fingerprint === null ? null : encode(rest.fingerprint),
          heard_ms: rest.heardMs,
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return;
      await this.#endOwnCall(transaction, scope, row.call_id, clock.now());
      if (rest.messageEnd === null) return;
      await webhooks.publish(transaction, {
        scope,
        type: 'amd.message_ended',
        data: viewOf(row),
        urls: webhookUrl === null ? [] : [webhookUrl],
      });
    });
  }

  /** A detection that is part of a telephone call does not end it. */
  async #endOwnCall(
    trx: Transaction<Tables>,
    scope: TenantScope,
    id: string | null,
    at: number,
  ): Promise<void> {
    const own = await withinTenant(trx, scope)
      .selectFrom('calls')
      .select('id')
      .where('id', '=', id)
      .where('kind', '=', 'amd')
      .executeTakeFirst();
    if (own !== undefined) await advanceCall(trx, scope, own.id, { kind: 'ended', at, reason: 'completed' });
  }

  async find(scope: TenantScope, id: string): Promise<AmdCallRow | null> {
    return (await this.#within(scope).selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
  }

  /** Returns one row more than the page, newest first. */
  async list(
    scope: TenantScope,
    filter: AmdCallFilter,
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<AmdCallRow[]> {
    let rows = this.#within(scope).selectAll();
    if (filter.answered_by !== undefined) rows = rows.where('answered_by', '=', filter.answered_by);
    if (filter.call_sid !== undefined) rows = rows.where('call_sid', '=', filter.call_sid);
    return await newestFirst(rows, query, start).execute();
  }

  /** Stores a person's correction; returns null where there is no such call. */
  async correct(scope: TenantScope, id: string, answer: Answer): Promise<AmdCall | null> {
    const row = await withinTenant(this.#options.storage.db, scope)
      .updateTable('amd_calls')
      .set({ corrected_to: answer, corrected_at: this.#options.clock.now() })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : viewOf(row);
  }

  /** Returns the latest calls that a person has corrected or confirmed. */
  async corrected(scope: TenantScope, most: number): Promise<AmdCallRow[]> {
    return await this.#within(scope)
      .selectAll()
      .where('corrected_to', 'is not', null)
      .orderBy('corrected_at', 'desc')
      .limit(most)
      .execute();
  }

  async greetings(scope: TenantScope, called: string): Promise<{ id: string; fingerprint: Fingerprint }[]> {
    const rows = await this.#within(scope)
      .select(['id', 'fingerprint'])
      .where('called', '=', called)
      .where('fingerprint', 'is not', null)
      .orderBy('created_at', 'desc')
      .limit(MOST_GREETINGS)
      .execute();
    return rows.map(({ id, fingerprint }) => ({ id, fingerprint: decode(fingerprint!) }));
  }

  #within(scope: TenantScope) {
    return withinTenant(this.#options.storage.db, scope).selectFrom('amd_calls');
  }
}

function rowOf(call: DecidedCall, callId: string, now: number): AmdCallRow {
  const { principal, verdict } = call;
  return {
    id: call.id,
    call_id: callId,
    org_id: principal.orgId,
    project_id: principal.projectId,
    environment: principal.environment,
    key_id: principal.keyId,
    stream_sid: call.streamSid,
    call_sid: call.callSid,
    called: call.called,
    external_id: call.externalId,
    answered_by: verdict.answeredBy,
    verdict: JSON.stringify(verdict),
    message_end: null,
    updates: null,
    transcript: call.transcript,
    evidence: JSON.stringify(call.evidence),
    tunables: JSON.stringify(call.tunables),
    fingerprint: null,
    heard_ms: call.heardMs,
    corrected_to: null,
    corrected_at: null,
    words_removed_at: null,
    created_at: now,
  };
}

const encode = (words: Fingerprint): string =>
  Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString('base64');
const decode = (text: string): Fingerprint =>
  new Uint16Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer);
