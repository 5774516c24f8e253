import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { AuditActor } from '../../foundation/audit/index.ts';
import { acrossTenants, type Storage } from '../../foundation/storage/index.ts';
import type { PhoneNumberService } from './phone-number-service.ts';

/** Carriers that charge for a number until it is released. Trunks and the loopback network do not. */
const RENTING: readonly string[] = ['twilio'];

export interface NumberReturns {
  readonly storage: Storage;
  readonly numbers: PhoneNumberService | null;
}

/**
 * Releases the numbers of an organization or a project before its rows are deleted, so that it pays no further rent.
 * Throws where a number could not be released, also at a carrier that was configured before, so that no rented number
 * loses its row.
 */
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
    // A number that waits for its compliance case was never ordered.
    else if (RENTING.includes(row.carrier) && row.status === 'active')
      rented.push(`${row.phone_number} (${row.carrier})`);
  }
  if (rented.length > 0)
    throw new Error(
      `numbers are still rented at a carrier that is not configured: ${rented.join(', ')}; start the server with that carrier to release them`,
    );
}
