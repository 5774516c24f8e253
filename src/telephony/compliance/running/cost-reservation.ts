import { tenantScopeOfRow } from '../../../foundation/access/index.ts';
import { type Storage, withinTenant } from '../../../foundation/storage/index.ts';
import type { ReservationOutcome } from '../reading/document-reader.ts';
import type { CaseJob } from './jobs.ts';

/**
 * Reserves the cost of reading a document. The transactions are serializable, so that documents that are read in
 * parallel never exceed `most` together.
 */
export async function reserveCost(
  storage: Storage,
  of: CaseJob,
  cost: number,
  most: number,
): Promise<ReservationOutcome> {
  return await storage.transaction(async (trx) => {
    const mine = withinTenant(trx, tenantScopeOfRow(of));
    const all = await mine
      .selectFrom('compliance_extractions')
      .select(['id', 'status', 'cost_micros'])
      .where('case_id', '=', of.case)
      .execute();
    const others = all.filter(({ id }) => id !== of.part);
    const spent = sum(others.filter(({ status }) => !isOpen(status)));
    if (spent + cost > most) return 'over';
    if (sum(others) + cost > most) return 'held';
    await mine
      .updateTable('compliance_extractions')
      .set({ cost_micros: cost })
      .where('id', '=', of.part)
      .where('status', '=', 'running')
      .execute();
    return 'ok';
  });
}

export async function releaseCost(storage: Storage, of: CaseJob): Promise<void> {
  await storage.transaction(async (trx) => {
    await withinTenant(trx, tenantScopeOfRow(of))
      .updateTable('compliance_extractions')
      .set({ cost_micros: 0 })
      .where('id', '=', of.part)
      .where('status', 'in', ['queued', 'running'])
      .execute();
  });
}

const isOpen = (status: string): boolean => status === 'queued' || status === 'running';

const sum = (rows: readonly { readonly cost_micros: number }[]): number =>
  rows.reduce((all, { cost_micros }) => all + Number(cost_micros), 0);
