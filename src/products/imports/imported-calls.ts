import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { ImportedCallRow } from '../../foundation/storage/tables/integrations.ts';
import type { ProviderCall } from './contract.ts';
import type { Provider } from './providers/index.ts';

const PLACE = ['org_id', 'project_id', 'environment', 'provider', 'provider_call_id'] as const;

type Facts = Pick<
  ImportedCallRow,
  'direction' | 'from_number' | 'to_number' | 'external_id' | 'started_at' | 'ended_at' | 'recording_url'
>;

export interface Noted {
  readonly row: ImportedCallRow;
  /** It is true where the event added something. */
  readonly news: boolean;
}

/** Calls of other providers, each stored once, however often and in whatever order its events arrive. */
export class ImportedCalls {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** Returns true where all facts are known and the recording is queued. */
  async knows(scope: TenantScope, provider: Provider, call: ProviderCall): Promise<boolean> {
    const row = await withinTenant(this.#storage.db, scope)
      .selectFrom('imported_calls')
      .selectAll()
      .where('provider', '=', provider)
      .where('provider_call_id', '=', call.callId)
      .executeTakeFirst();
    if (row === undefined || (row.state === 'waiting' && row.recording_url !== null)) return false;
    const facts = Object.entries(factsOf(call, 0)) as [keyof Facts, unknown][];
    return facts.every(([name, value]) => value === null || row[name] !== null);
  }

  /** Merges an event: known fields stay, new ones are added. */
  async note(
    trx: Trx,
    scope: TenantScope,
    keyId: string,
    provider: Provider,
    call: ProviderCall,
  ): Promise<Noted> {
    const now = this.#clock.now();
    const facts = factsOf(call, now);
    const made = await withinTenant(trx, scope)
      .insertInto('imported_calls', {
        id: newId('ext'),
        provider,
        provider_call_id: call.callId,
        key_id: keyId,
        ...facts,
        state: 'waiting',
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.columns(PLACE).doNothing())
      .returningAll()
      .executeTakeFirst();
    if (made !== undefined) return { row: made, news: true };
    return await this.#add(trx, scope, provider, call.callId, facts);
  }

  async #add(trx: Trx, scope: TenantScope, provider: Provider, callId: string, facts: Facts): Promise<Noted> {
    const own = withinTenant(trx, scope);
    const news = Object.entries(facts).filter(([, value]) => value !== null) as [keyof Facts, string][];
    const added =
      news.length === 0
        ? undefined
        : await own
            .updateTable('imported_calls')
            .set((eb) => ({
              ...Object.fromEntries(
                news.map(([name, value]) => [name, eb.fn.coalesce(name, eb.val(value) as never)]),
              ),
              updated_at: this.#clock.now(),
            }))
            .where('provider', '=', provider)
            .where('provider_call_id', '=', callId)
            .where((eb) => eb.or(news.map(([name]) => eb(name, 'is', null))))
            .returningAll()
            .executeTakeFirst();
    if (added !== undefined) return { row: added, news: true };
    const row = await own
      .selectFrom('imported_calls')
      .selectAll()
      .where('provider', '=', provider)
      .where('provider_call_id', '=', callId)
      .executeTakeFirstOrThrow();
    return { row, news: false };
  }

  /** Moves a call between states; returns false when it had left `from`. */
  async move(
    trx: Trx,
    scope: TenantScope,
    id: string,
    from: ImportedCallRow['state'],
    to: Pick<ImportedCallRow, 'state'> & Partial<Pick<ImportedCallRow, 'job_id' | 'error'>>,
  ): Promise<boolean> {
    const moved = await withinTenant(trx, scope)
      .updateTable('imported_calls')
      .set({ ...to, updated_at: this.#clock.now() })
      .where('id', '=', id)
      .where('state', '=', from)
      .returning('id')
      .executeTakeFirst();
    return moved !== undefined;
  }

  /** Returns one row more than the page, newest first. */
  async list(
    scope: TenantScope,
    query: PageQuery & { readonly status?: ImportedCallRow['state'] | undefined },
    start: PageEnd | null,
  ): Promise<ImportedCallRow[]> {
    const all = withinTenant(this.#storage.db, scope).selectFrom('imported_calls').selectAll();
    const rows = query.status === undefined ? all : all.where('state', '=', query.status);
    return await newestFirst(rows, query, start).execute();
  }
}

/** An ended call without a stated end gets the time of the event. */
const factsOf = (call: ProviderCall, now: number): Facts => ({
  direction: call.direction,
  from_number: call.from,
  to_number: call.to,
  external_id: call.direction === 'outbound' ? call.to : call.direction === 'inbound' ? call.from : null,
  started_at: call.startedAt,
  ended_at: call.endedAt ?? (call.ended ? now : null),
  recording_url: call.recordingUrl,
});
