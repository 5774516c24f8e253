import type { Sealer, TenantScope } from '../../foundation/access/index.ts';
import {
  type AuditActor,
  appendAuditRecord,
  auditScope,
  creatorColumn,
} from '../../foundation/audit/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { newestFirst, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { DestinationRow } from '../../foundation/storage/tables/integrations.ts';
import type { Outside } from './adapters/index.ts';
import { checkedAddress } from './check.ts';
import type { Change, Destination, NewDestination } from './contract.ts';
import { addressOf, destinationOf, sealAddress, sealSettings } from './destination-rows.ts';
import { checkFilters } from './filters.ts';

export interface DestinationsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly outside: Outside;
}

/** The limit holds per project and environment. */
export const MOST = 100;

/** Runs in the transaction that creates the destination. */
type WithinTransaction = (trx: Trx, made: Destination) => Promise<void>;

export class Destinations {
  readonly #options: DestinationsOptions;

  constructor(options: DestinationsOptions) {
    this.#options = options;
  }

  async create(
    scope: TenantScope,
    by: AuditActor,
    said: NewDestination,
    within: WithinTransaction,
  ): Promise<Destination> {
    const { storage, clock, sealer, outside } = this.#options;
    if (said.kind === 'email' && scope.environment === 'sandbox') throw noMailFromSandbox();
    checkFilters(said.filters, said.events);
    const url = checkedAddress(said, outside);
    const id = newId(said.kind === 'hook' ? 'hook' : 'dst');
    const now = clock.now();
    const row = {
      id,
      kind: said.kind,
      name: said.name,
      url: sealAddress(sealer, id, url),
      events: JSON.stringify(said.events),
      filters: JSON.stringify(said.filters),
      event_version: said.eventVersion,
      settings: sealSettings(sealer, id, said.settings),
      status: 'active' as const,
      created_by: creatorColumn(by),
      created_at: now,
      updated_at: now,
    };
    return await storage.transaction(async (trx) => {
      await this.#checkLimit(trx, scope);
      const made = await withinTenant(trx, scope)
        .insertInto('destinations', row)
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#note(trx, scope, by, 'destination.created', made);
      await this.#askRecipients(trx, made);
      const destination = await this.#stateOf(trx, made);
      await within(trx, destination);
      return destination;
    });
  }

  async find(scope: TenantScope, id: string): Promise<Destination | null> {
    const row = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('destinations')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row === undefined ? null : await this.#stateOf(this.#options.storage.db, row);
  }

  /** Returns one row more than the page, newest first; with `hooks` those of automation tools, else all others. */
  async list(
    scope: TenantScope,
    hooks: boolean,
    query: PageQuery,
    start: PageEnd | null,
  ): Promise<Destination[]> {
    const rows = withinTenant(this.#options.storage.db, scope)
      .selectFrom('destinations')
      .selectAll()
      .where('kind', hooks ? '=' : '!=', 'hook');
    const found = await newestFirst(rows, query, start).execute();
    const states: Destination[] = [];
    for (const row of found) states.push(await this.#stateOf(this.#options.storage.db, row));
    return states;
  }

  /** Returns null where there is no such destination. */
  async change(scope: TenantScope, by: AuditActor, id: string, change: Change): Promise<Destination | null> {
    const { storage, clock, sealer, outside } = this.#options;
    return await storage.transaction(async (trx) => {
      const own = withinTenant(trx, scope);
      const row = await own.selectFrom('destinations').selectAll().where('id', '=', id).executeTakeFirst();
      if (row === undefined) return null;
      const before = destinationOf(sealer, row);
      const events = change.events ?? before.events;
      const filters = change.filters === undefined ? before.filters : (change.filters ?? {});
      checkFilters(filters, events);
      const settings = change.settings === undefined ? before.settings : (change.settings ?? {});
      const moves = change.url !== undefined || change.settings !== undefined;
      const said = change.url === undefined && moves ? saidBefore(before) : (change.url ?? null);
      const changed = await own
        .updateTable('destinations')
        .set({
          ...(moves
            ? {
                url: sealAddress(sealer, id, checkedAddress({ ...before, url: said, settings }, outside)),
                settings: sealSettings(sealer, id, settings),
              }
            : {}),
          name: change.name === undefined ? before.name : change.name,
          events: JSON.stringify(events),
          filters: JSON.stringify(filters),
          status: change.status ?? row.status,
          updated_at: clock.now(),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#note(trx, scope, by, 'destination.changed', changed);
      if (change.status === 'active' || moves) await this.#askRecipients(trx, changed);
      return await this.#stateOf(trx, changed);
    });
  }

  /** Returns false when there is no such destination. Pending deliveries are dropped. */
  async remove(scope: TenantScope, by: AuditActor, id: string): Promise<boolean> {
    return await this.#options.storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .deleteFrom('destinations')
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined) await this.#note(trx, scope, by, 'destination.removed', row);
      return row !== undefined;
    });
  }

  async active(trx: Trx, scope: TenantScope): Promise<DestinationRow[]> {
    const { sealer } = this.#options;
    const rows = await withinTenant(trx, scope)
      .selectFrom('destinations')
      .selectAll()
      .where('status', '=', 'active')
      .execute();
    const listening: DestinationRow[] = [];
    for (const row of rows) {
      if (row.kind !== 'email' || (await this.#stateOf(trx, row)).status === 'active')
        listening.push({ ...row, url: addressOf(sealer, row) });
    }
    return listening;
  }

  async mark(scope: TenantScope, id: string, status: DestinationRow['status']): Promise<void> {
    await withinTenant(this.#options.storage.db, scope)
      .updateTable('destinations')
      .set({ status, updated_at: this.#options.clock.now() })
      .where('id', '=', id)
      .execute();
  }

  /** Includes mail addresses that were not confirmed yet. */
  async #stateOf(db: Storage['db'] | Trx, row: DestinationRow): Promise<Destination> {
    const { sealer, outside } = this.#options;
    const stored = destinationOf(sealer, row);
    if (row.kind !== 'email') return stored;
    const to = recipientsOf(stored);
    const unconfirmed = await outside.recipients.unconfirmed(db, row.org_id, to);
    const isUnconfirmed = stored.status === 'active' && unconfirmed.length === to.length;
    return { ...stored, unconfirmed, ...(isUnconfirmed ? { status: 'unconfirmed' as const } : {}) };
  }

  async #askRecipients(trx: Trx, row: DestinationRow): Promise<void> {
    if (row.kind !== 'email') return;
    const { sealer, outside } = this.#options;
    await outside.recipients.requestConfirmation(trx, row.org_id, recipientsOf(destinationOf(sealer, row)));
  }

  async #checkLimit(trx: Trx, scope: TenantScope): Promise<void> {
    const { count } = await withinTenant(trx, scope)
      .selectFrom('destinations')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(count) >= MOST)
      throw new ApiError('invalid_request', `A project can have at most ${MOST} destinations and hooks.`);
  }

  async #note(
    trx: Trx,
    scope: TenantScope,
    by: AuditActor,
    action: string,
    row: DestinationRow,
  ): Promise<void> {
    const { kind, events, status } = row;
    const host = hostOf(addressOf(this.#options.sealer, row));
    await appendAuditRecord(trx, this.#options.clock.now(), {
      ...auditScope(scope),
      by,
      action,
      target: row.id,
      before: null,
      after: action === 'destination.removed' ? null : { kind, host, events: JSON.parse(events), status },
    });
  }
}

/** Returns the URL as it was given; a bucket's address is derived from its settings. */
function saidBefore({ kind, url }: Destination): string | null {
  if (kind === 's3')
    throw new ApiError('invalid_request', 'url is required with these settings; use null for Amazon S3.', {
      param: 'url',
    });
  return kind === 'email' ? null : url;
}

const recipientsOf = ({ settings }: Destination): readonly string[] => settings.to as string[];

const noMailFromSandbox = (): ApiError =>
  new ApiError(
    'forbidden',
    'A sandbox key cannot have email destinations: mail is only sent for live keys.',
    {
      param: 'kind',
    },
  );

/** The path is left out, because messengers hold their secret in it. */
const hostOf = (url: string): string => new URL(url).host;
