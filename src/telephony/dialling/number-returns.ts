import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { AuditActor } from '../../foundation/audit/index.ts';
import { acrossTenants, type Storage } from '../../foundation/storage/index.ts';
import type { PhoneNumberService } from './phone-number-service.ts';

/** Carriers that charge for a number until it is released there. Trunks and the loopback network do not. */
const RENTING: readonly string[] = ['twilio'];

export interface NumberReturns {
  readonly storage: Storage;
  /** The service of the carrier that is configured now; null: none is. */
  readonly numbers: PhoneNumberService | null;
}

/** Releases all that an organization has, or one project of it, before its rows go: nobody pays for them any more. Throws where a carrier
 * has not released one, also the carrier that was configured before, so that no number stays rented without a row that names it. */
export async function releaseAllNumbers(
  { storage, numbers }: NumberReturns,
  org: string,
  by: AuditActor,
  projectId?: string,
): Promise<void> {
  let owned = acrossTenants(storage.db)
    .selectFrom('telephony_numbers')
    .selectAll()
    .where('org_id', '=', org)
    .where('status', '!=', 'released');
  if (projectId !== undefined) owned = owned.where('project_id', '=', projectId);
  const rented: string[] = [];
  for (const row of await owned.execute()) {
    if (row.carrier === numbers?.carrierName) await numbers.release(tenantScopeOfRow(row), row.id, by);
    // One that waits for its compliance case was never ordered.
    else if (RENTING.includes(row.carrier) && row.status === 'active')
      rented.push(`${row.phone_number} (${row.carrier})`);
  }
  if (rented.length > 0)
    throw new Error(
      `numbers are rented at a carrier that is not configured: ${rented.join(', ')}; start the server with it once more`,
    );
}
