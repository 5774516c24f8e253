import type { TenantScope } from '../../foundation/access/contract.ts';
import type { ImpliedPrincipals } from '../../foundation/access/index.ts';
import { appendAuditRecord, SYSTEM_ACTOR } from '../../foundation/audit/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { newId } from '../../foundation/platform/ids.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { TelephonyNumberRow } from '../../foundation/storage/tables/telephony.ts';
import {
  type Capability,
  type Carrier,
  CarrierError,
  type CarrierNumbers,
  type NumberType,
  type OfferedNumber,
  type ProvisionedNumber,
} from '../carriers/index.ts';
import { type NumberRows, numberAuditEvent } from './number-audit.ts';
import { requireBelowNumbersMax } from './number-claims.ts';
import { DEFAULT_SETTINGS } from './number-settings.ts';

export interface ApprovedNumbersOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly carrier: Pick<Carrier, 'name' | 'numbers'>;
  readonly standings: Pick<ImpliedPrincipals, 'of'>;
}

export interface ApprovedNumber {
  readonly scope: TenantScope;
  readonly kind: 'new_number' | 'port_in';
  readonly phoneNumber: string;
  readonly country: string;
  readonly numberType: string;
  readonly capabilities: readonly string[];
}

type Trx = Parameters<Parameters<Storage['transaction']>[0]>[0];

const TYPES: readonly NumberType[] = ['local', 'mobile', 'toll_free'];
const CAPABILITIES: readonly Capability[] = ['voice', 'sms'];

/** Orders or adopts the numbers of approved compliance cases. Repeating it changes nothing. */
export class ApprovedNumbers {
  readonly #options: ApprovedNumbersOptions;

  constructor(options: ApprovedNumbersOptions) {
    this.#options = options;
  }

  /**
   * Rejects where the carrier is unreachable or does not have the number, or the plan allows no further number. The
   * case retries.
   */
  async take(of: ApprovedNumber): Promise<void> {
    const { numbers } = this.#options.carrier;
    // A carrier without number management has no rows here.
    if (numbers === null) return;
    await (of.kind === 'port_in' ? this.#add(numbers, of) : this.#open(numbers, of));
  }

  /**
   * Orders a number that waits for its case. A number bought after the approval is active at once and needs nothing
   * here.
   */
  async #open(numbers: CarrierNumbers, { scope, phoneNumber }: ApprovedNumber): Promise<void> {
    const { storage } = this.#options;
    const waiting = await find(storage.db, scope, phoneNumber, 'pending_compliance');
    if (waiting === null) return;
    const number = await numbers.provision(phoneNumber, waiting.id);
    await numbers.route(number, true);
    await storage.transaction(async (trx) => {
      const before = await find(trx, scope, phoneNumber, 'pending_compliance');
      if (before === null) return;
      const after = await withinTenant(trx, scope)
        .updateTable('telephony_numbers')
        .set({ status: 'active', ...columnsOf(number) })
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#note(trx, 'number.approved', { before, after });
    });
  }

  async #add(numbers: CarrierNumbers, of: ApprovedNumber): Promise<void> {
    const { storage, clock, carrier, standings } = this.#options;
    const { scope, phoneNumber } = of;
    if ((await find(storage.db, scope, phoneNumber, 'active')) !== null) return;
    const principal = await standings.of(scope);
    if (principal === null) throw new Error('the project of a ported number was deleted');
    const { numbersMax } = principal.limits;
    // The check runs before the request to the carrier, and again in the transaction that stores the number.
    await requireBelowNumbersMax(storage.db, scope.org, numbersMax);
    const number = await numbers.adopt({
      phoneNumber,
      country: of.country,
      numberType: TYPES.find((each) => each === of.numberType) ?? 'local',
      capabilities: CAPABILITIES.filter((each) => of.capabilities.includes(each)),
    });
    await numbers.route(number, true);
    await storage.transaction(async (trx) => {
      await requireBelowNumbersMax(trx, scope.org, numbersMax);
      const after = await withinTenant(trx, scope)
        .insertInto('telephony_numbers', {
          id: newId('num'),
          key_id: null,
          carrier: carrier.name,
          phone_number: phoneNumber,
          claimed: phoneNumber,
          ...columnsOf(number),
          agent_id: null,
          status: 'active',
          settings: JSON.stringify(DEFAULT_SETTINGS),
          created_at: clock.now(),
          released_at: null,
          quarantined_until: null,
        })
        .onConflict((conflict) => conflict.columns(['carrier', 'claimed']).doNothing())
        .returningAll()
        .executeTakeFirst();
      if (after === undefined)
        throw new Error('the number that was ported to this server belongs to another organization');
      await this.#note(trx, 'number.ported', { before: null, after });
    });
  }

  async #note(trx: Trx, action: `number.${string}`, rows: NumberRows): Promise<void> {
    await appendAuditRecord(trx, this.#options.clock.now(), numberAuditEvent(SYSTEM_ACTOR, action, rows));
  }
}

const columnsOf = ({ reference, country, numberType, capabilities }: ProvisionedNumber) => ({
  reference,
  country,
  number_type: numberType,
  capabilities: JSON.stringify(capabilities),
});

async function find(
  db: Storage['db'],
  scope: TenantScope,
  phoneNumber: string,
  status: TelephonyNumberRow['status'],
): Promise<TelephonyNumberRow | null> {
  const row = await withinTenant(db, scope)
    .selectFrom('telephony_numbers')
    .selectAll()
    .where('phone_number', '=', phoneNumber)
    .where('status', '=', status)
    .executeTakeFirst();
  return row ?? null;
}

export async function offerOf(
  numbers: CarrierNumbers,
  country: string,
  phoneNumber: string,
): Promise<OfferedNumber> {
  for (const numberType of TYPES) {
    const pattern = phoneNumber.slice(1);
    const offered = await numbers.search({ country, numberType, capabilities: [], pattern, limit: 1 });
    const found = offered.find((each) => each.phoneNumber === phoneNumber);
    if (found !== undefined) return found;
  }
  throw new CarrierError('unavailable_number', `${phoneNumber} is not offered by the carrier`);
}
