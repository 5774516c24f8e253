import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { TelephonyCallRow } from '../../foundation/storage/tables/telephony.ts';
import { isOpen, planOf } from './campaign-plan.ts';

export interface CampaignAdmissionOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly zonesOf: (number: string) => readonly string[] | null;
}

/** A call may wait for minutes after its campaign placed it, and the campaign may be paused or closed meanwhile. */
export class CampaignAdmission {
  readonly #options: CampaignAdmissionOptions;

  constructor(options: CampaignAdmissionOptions) {
    this.#options = options;
  }

  /**
   * Returns whether the campaign of the call, if it has one, runs and is within its hours. In the transaction that
   * claims the call, a pause waits until the claim is stored: no call is dialed after a pause has been answered.
   */
  async permits(row: TelephonyCallRow, trx?: Trx): Promise<boolean> {
    if (row.campaign_id === null) return true;
    const { storage, clock, zonesOf } = this.#options;
    const query = withinTenant(trx ?? storage.db, tenantScopeOfRow(row))
      .selectFrom('telephony_campaigns')
      .select(['state', 'plan'])
      .where('id', '=', row.campaign_id);
    const locks = trx !== undefined && storage.dialect === 'postgres';
    const campaign = await (locks ? query.forShare() : query).executeTakeFirst();
    if (campaign?.state !== 'running') return false;
    const { windows } = planOf(campaign);
    return windows === null || isOpen(windows, zonesOf(row.to_number), clock.now());
  }
}
