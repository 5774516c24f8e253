import type { Transaction } from 'kysely';
import type { AccessControl, Principal, TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../foundation/access/index.ts';
import { type AuditActor, appendAuditRecord } from '../../foundation/audit/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../foundation/platform/errors.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { PageEnd, PageQuery } from '../../foundation/platform/pages.ts';
import { printableValue } from '../../foundation/platform/printable.ts';
import {
  acrossTenants,
  newestFirst,
  type Storage,
  type Tables,
  withinTenant,
} from '../../foundation/storage/index.ts';
import type { TelephonyNumberRow } from '../../foundation/storage/tables/telephony.ts';
import {
  type Carrier,
  CarrierError,
  type CarrierName,
  type CarrierNumbers,
  type NumberQuery,
  type OfferedNumber,
  type ProvisionedNumber,
} from '../carriers/index.ts';
import { offerOf } from './approved-numbers.ts';
import { isZone } from './campaign-plan.ts';
import { checkRoute } from './check-route.ts';
import { type NumberRows, numberAuditEvent } from './number-audit.ts';
import { NumberClaims } from './number-claims.ts';
import { changed, type NumberSettingsChange, readSettings } from './number-settings.ts';

export interface PhoneNumberServiceOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly carrier: Pick<Carrier, 'name' | 'numbers'>;
  readonly access: Pick<AccessControl, 'admit'>;
  readonly hasAgent: (scope: TenantScope, agentId: string) => Promise<boolean>;
  readonly cases: NumberCases;
  readonly checkTarget: (to: string, param: string) => void;
}

export interface NumberCases {
  asksBeforeOrder(phoneNumber: string): string | null;
  hasApproved(scope: TenantScope, phoneNumber: string): Promise<boolean>;
}

export interface NumberChange {
  readonly agent_id?: string | null;
  readonly settings?: NumberSettingsChange | null;
}

type InSameTransaction = (trx: Trx, row: TelephonyNumberRow) => Promise<void>;
type Trx = Transaction<Tables>;

/** A released number is assigned to no tenant for this time, so that calls for its last owner die away. */
const QUARANTINE_MS = 30 * 24 * 3600 * 1000;

export class PhoneNumberService {
  readonly #options: PhoneNumberServiceOptions;
  readonly #claims: NumberClaims;

  constructor(options: PhoneNumberServiceOptions) {
    this.#options = options;
    this.#claims = new NumberClaims({ ...options, carrier: options.carrier.name });
  }

  async available(query: NumberQuery): Promise<OfferedNumber[]> {
    const taken = await this.#claims.taken();
    const offered = await this.#atCarrier((numbers) =>
      numbers.search({ ...query, limit: query.limit + taken.size }),
    );
    return offered.filter(({ phoneNumber }) => !taken.has(phoneNumber)).slice(0, query.limit);
  }

  /**
   * Stores the row before the order, so that two tenants can't buy the same number. A refusal by the carrier removes
   * it.
   */
  async provision(
    caller: Principal,
    phoneNumber: string,
    agentId: string | null,
    by: AuditActor,
    alongside: InSameTransaction = async () => {},
  ): Promise<TelephonyNumberRow> {
    const scope = tenantScopeOf(caller);
    const { access } = this.#options;
    await this.#checkAgent(scope, agentId);
    const id = newId('num');
    await this.#claims.freeAfterQuarantine(phoneNumber);
    const waiting = await this.#waitsForCase(scope, phoneNumber);
    const status = waiting === null ? 'active' : 'pending_compliance';
    // The reservation during the purchase refuses an organization that can't pay for a minute of calls.
    const admission = await access.admit(caller, 'telephony.call', { realtime: false, resource: id });
    try {
      await this.#claims.claim(caller, { id, phoneNumber, agentId, status });
      return await this.#buy(scope, { id, phoneNumber, waiting }, by, alongside);
    } finally {
      await admission.release();
    }
  }

  async #buy(
    scope: TenantScope,
    { id, phoneNumber, waiting }: { id: string; phoneNumber: string; waiting: OfferedNumber | null },
    by: AuditActor,
    alongside: InSameTransaction,
  ): Promise<TelephonyNumberRow> {
    try {
      const number = waiting === null ? await this.#order(phoneNumber, id) : { ...waiting, reference: '' };
      return await this.#provisioned(scope, id, number, async (trx, row) => {
        await this.#note(trx, by, 'number.provisioned', { before: null, after: row });
        await alongside(trx, row);
      });
    } catch (error) {
      await withinTenant(this.#options.storage.db, scope)
        .deleteFrom('telephony_numbers')
        .where('id', '=', id)
        .execute();
      throw error;
    }
  }

  async #order(phoneNumber: string, id: string): Promise<ProvisionedNumber> {
    const number = await this.#atCarrier((numbers) => numbers.provision(phoneNumber, id));
    await this.#atCarrier((numbers) => numbers.route(number, true));
    return number;
  }

  async #waitsForCase(scope: TenantScope, phoneNumber: string): Promise<OfferedNumber | null> {
    const { cases } = this.#options;
    const country = cases.asksBeforeOrder(phoneNumber);
    if (country === null || (await cases.hasApproved(scope, phoneNumber))) return null;
    return await this.#atCarrier((numbers) => offerOf(numbers, country, phoneNumber));
  }

  async find(
    scope: TenantScope,
    id: string,
    db: Storage['db'] = this.#options.storage.db,
  ): Promise<TelephonyNumberRow> {
    const row = await withinTenant(db, scope)
      .selectFrom('telephony_numbers')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw notFound();
    return row;
  }

  async owned(scope: TenantScope, phoneNumber: string): Promise<TelephonyNumberRow | null> {
    const row = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('telephony_numbers')
      .selectAll()
      .where('phone_number', '=', phoneNumber)
      .where('status', '=', 'active')
      .executeTakeFirst();
    return row ?? null;
  }

  async ofAgent(scope: TenantScope, agentId: string): Promise<TelephonyNumberRow | null> {
    const row = await withinTenant(this.#options.storage.db, scope)
      .selectFrom('telephony_numbers')
      .selectAll()
      .where('agent_id', '=', agentId)
      .where('status', '=', 'active')
      .orderBy('created_at')
      .orderBy('id')
      .executeTakeFirst();
    return row ?? null;
  }

  async called(phoneNumber: string): Promise<TelephonyNumberRow | null> {
    const row = await acrossTenants(this.#options.storage.db)
      .selectFrom('telephony_numbers')
      .selectAll()
      .where('carrier', '=', this.#options.carrier.name)
      .where('claimed', '=', phoneNumber)
      .where('status', '=', 'active')
      .executeTakeFirst();
    return row ?? null;
  }

  async list(
    scope: TenantScope,
    query: PageQuery & { readonly status?: TelephonyNumberRow['status'] },
    start: PageEnd | null,
  ): Promise<TelephonyNumberRow[]> {
    let rows = withinTenant(this.#options.storage.db, scope).selectFrom('telephony_numbers').selectAll();
    if (query.status !== undefined) rows = rows.where('status', '=', query.status);
    return await newestFirst(rows, query, start).execute();
  }

  async change(
    scope: TenantScope,
    id: string,
    change: NumberChange,
    by: AuditActor,
  ): Promise<TelephonyNumberRow> {
    await this.#checkChange(scope, await this.find(scope, id), change);
    return await this.#options.storage.transaction(async (trx) => {
      const before = await this.find(scope, id, trx);
      if (before.status === 'released') throw released();
      const settings = changed(readSettings(before.settings), change.settings);
      const after = await withinTenant(trx, scope)
        .updateTable('telephony_numbers')
        .set({
          agent_id: change.agent_id === undefined ? before.agent_id : change.agent_id,
          settings: JSON.stringify(settings),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#note(trx, by, 'number.changed', { before, after });
      return after;
    });
  }

  async release(scope: TenantScope, id: string, by: AuditActor): Promise<TelephonyNumberRow> {
    const row = await this.find(scope, id);
    if (row.status === 'released') return row;
    if (row.status === 'active') await this.#atCarrier((numbers) => numbers.release(provisionedOf(row)));
    const now = this.#options.clock.now();
    return await this.#options.storage.transaction(async (trx) => {
      const before = await this.find(scope, id, trx);
      if (before.status === 'released') return before;
      const after = await withinTenant(trx, scope)
        .updateTable('telephony_numbers')
        .set({ status: 'released', agent_id: null, released_at: now, quarantined_until: now + QUARANTINE_MS })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#note(trx, by, 'number.released', { before, after });
      await this.#forgetCallerId(trx, scope, before.phone_number, by);
      return after;
    });
  }

  /** Numbers that showed a released number as theirs show themselves again. */
  async #forgetCallerId(trx: Trx, scope: TenantScope, phoneNumber: string, by: AuditActor): Promise<void> {
    const rows = await withinTenant(trx, scope)
      .selectFrom('telephony_numbers')
      .selectAll()
      .where('status', '!=', 'released')
      .execute();
    for (const before of rows) {
      const settings = readSettings(before.settings);
      if (settings.caller_id !== phoneNumber) continue;
      const after = await withinTenant(trx, scope)
        .updateTable('telephony_numbers')
        .set({ settings: JSON.stringify({ ...settings, caller_id: null }) })
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#note(trx, by, 'number.changed', { before, after });
    }
  }

  get carrierName(): CarrierName {
    return this.#options.carrier.name;
  }

  async #note(trx: Trx, by: AuditActor, action: `number.${string}`, rows: NumberRows): Promise<void> {
    await appendAuditRecord(trx, this.#options.clock.now(), numberAuditEvent(by, action, rows));
  }

  async #checkChange(scope: TenantScope, before: TelephonyNumberRow, change: NumberChange): Promise<void> {
    const { carrier, checkTarget } = this.#options;
    if (before.status === 'released') throw released();
    if (change.agent_id !== undefined) await this.#checkAgent(scope, change.agent_id);
    const settings = changed(readSettings(before.settings), change.settings);
    if (settings.caller_id !== null && (await this.owned(scope, settings.caller_id)) === null) {
      const message = 'caller_id must be one of your own numbers';
      throw new ApiError('invalid_request', message, { param: 'settings.caller_id' });
    }
    const { route, fallback } = change.settings ?? {};
    const given = {
      ...(route === undefined ? {} : { route: settings.route }),
      ...(fallback === undefined ? {} : { fallback: settings.fallback }),
    };
    checkRoute(given, carrier.name, checkTarget);
    const { quiet_hours: quiet } = settings;
    if (quiet !== null && quiet.from === quiet.to) {
      const message = 'Quiet hours must not end at their start time; use null for none.';
      throw new ApiError('invalid_request', message, { param: 'settings.quiet_hours.to' });
    }
    const zone = quiet?.time_zone;
    if (zone !== undefined && !isZone(zone)) {
      const message = 'timezone must be an IANA time zone such as Europe/Madrid.';
      throw new ApiError('invalid_request', message, { param: 'settings.quiet_hours.time_zone' });
    }
  }

  async #provisioned(
    scope: TenantScope,
    id: string,
    number: ProvisionedNumber,
    alongside: InSameTransaction,
  ): Promise<TelephonyNumberRow> {
    return await this.#options.storage.transaction(async (trx) => {
      const row = await withinTenant(trx, scope)
        .updateTable('telephony_numbers')
        .set({
          reference: number.reference,
          country: number.country,
          number_type: number.numberType,
          capabilities: JSON.stringify(number.capabilities),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await alongside(trx, row);
      return row;
    });
  }

  async #checkAgent(scope: TenantScope, agentId: string | null): Promise<void> {
    if (agentId === null || (await this.#options.hasAgent(scope, agentId))) return;
    throw new ApiError(
      'invalid_request',
      `There is no agent ${printableValue(agentId)}, or none of its versions is published.`,
      {
        param: 'agent_id',
      },
    );
  }

  async #atCarrier<T>(work: (numbers: CarrierNumbers) => Promise<T>): Promise<T> {
    const { numbers } = this.#options.carrier;
    if (numbers === null) throw new ApiError('not_found', 'The configured carrier does not manage numbers.');
    try {
      return await work(numbers);
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
      if (error.kind === 'unavailable_number')
        throw new ApiError('invalid_request', error.message, { param: 'phone_number', cause: error });
      throw new ApiError('unavailable', `The carrier failed: ${error.message}`, {
        retryAfter: 5,
        cause: error,
      });
    }
  }
}

const provisionedOf = (row: TelephonyNumberRow): ProvisionedNumber => ({
  phoneNumber: row.phone_number,
  country: row.country,
  numberType: row.number_type as ProvisionedNumber['numberType'],
  capabilities: JSON.parse(row.capabilities) as ProvisionedNumber['capabilities'],
  reference: row.reference,
});

const notFound = (): ApiError => new NoSuchError('number');
const released = (): ApiError => new ApiError('invalid_request', 'The number was released.', { param: 'id' });
