import type { Principal } from '../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../foundation/access/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { acrossTenants, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { DEFAULT_SETTINGS } from './number-settings.ts';

export interface NumberClaimsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly carrier: string;
}

export interface Claim {
  readonly id: string;
  readonly phoneNumber: string;
  readonly agentId: string | null;
  readonly status: 'active' | 'pending_compliance';
}

/**
 * Assigns numbers to tenants: one tenant at a time, within the plan's limit, and to none during the quarantine after
 * a release.
 */
export class NumberClaims {
  readonly #options: NumberClaimsOptions;

  constructor(options: NumberClaimsOptions) {
    this.#options = options;
  }

  /** Claims of an organization run one at a time, so that two of them do not both take its last place. */
  async claim(caller: Principal, { id, phoneNumber, agentId, status }: Claim): Promise<void> {
    const { storage, clock, carrier } = this.#options;
    const scope = tenantScopeOf(caller);
    await storage.transaction(async (trx) => {
      await requireBelowNumbersMax(trx, scope.org, caller.limits.numbersMax);
      const claimed = await withinTenant(trx, scope)
        .insertInto('telephony_numbers', {
          id,
          key_id: caller.keyId,
          carrier,
          phone_number: phoneNumber,
          claimed: phoneNumber,
          reference: '',
          country: '',
          number_type: '',
          capabilities: '[]',
          agent_id: agentId,
          status,
          settings: JSON.stringify(DEFAULT_SETTINGS),
          created_at: clock.now(),
          released_at: null,
          quarantined_until: null,
        })
        .onConflict((conflict) => conflict.columns(['carrier', 'claimed']).doNothing())
        .returning('id')
        .executeTakeFirst();
      if (claimed === undefined) throw unavailable(phoneNumber);
    });
  }

  async freeAfterQuarantine(phoneNumber: string): Promise<void> {
    const { storage, clock, carrier } = this.#options;
    await acrossTenants(storage.db)
      .updateTable('telephony_numbers')
      .set({ claimed: null })
      .where('carrier', '=', carrier)
      .where('claimed', '=', phoneNumber)
      .where('quarantined_until', '<=', clock.now())
      .execute();
  }

  async taken(): Promise<ReadonlySet<string>> {
    const { storage, clock, carrier } = this.#options;
    const rows = await acrossTenants(storage.db)
      .selectFrom('telephony_numbers')
      .select('phone_number')
      .where('carrier', '=', carrier)
      .where('claimed', 'is not', null)
      .where(({ eb, or }) =>
        or([eb('quarantined_until', 'is', null), eb('quarantined_until', '>', clock.now())]),
      )
      .execute();
    return new Set(rows.map((row) => row.phone_number));
  }
}

/**
 * Throws `numbers_max_exceeded` where the organization has reached its plan's limit, counted over all projects and
 * environments.
 */
export async function requireBelowNumbersMax(db: Storage['db'], orgId: string, most: number): Promise<void> {
  const { count } = await acrossTenants(db)
    .selectFrom('telephony_numbers')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where('status', '!=', 'released')
    .executeTakeFirstOrThrow();
  if (Number(count) >= most) throw numbersMaxExceeded(most);
}

const numbersMaxExceeded = (most: number): ApiError =>
  new ApiError('numbers_max_exceeded', `The organization has reached its plan’s limit of ${most} numbers.`);
const unavailable = (number: string): ApiError =>
  new ApiError('invalid_request', `${number} is already in use, or was released recently.`, {
    param: 'phone_number',
  });
