import type { TenantScope } from '../../foundation/access/contract.ts';
import type { JobQueue, Trx } from '../../foundation/jobs/index.ts';
import { type PersonalDataStore, personalDataStoreOf } from '../../foundation/privacy/index.ts';
import { type Blobs, type Storage, withinTenant } from '../../foundation/storage/index.ts';
import { caseDeadlineId, documentExpiryId, extractId, networkId, scanId } from './running/jobs.ts';
import { BLOB_AREA } from './uploads.ts';

const TABLES = [
  'compliance_events',
  'compliance_corrections',
  'compliance_extractions',
  'compliance_uploads',
] as const;

export const compliancePersonalData = (storage: Storage, blobs: Blobs, queue: JobQueue): PersonalDataStore =>
  personalDataStoreOf(storage, {
    table: 'compliance_cases',
    counted: 'compliance_cases',
    remove: async (scope, id) => {
      const documents = await storage.transaction((trx) => removeCase(queue, trx, scope, id));
      await blobs.deleteOwner(BLOB_AREA, id);
      return { compliance_documents: documents };
    },
  });

async function removeCase(queue: JobQueue, trx: Trx, scope: TenantScope, id: string): Promise<number> {
  const mine = withinTenant(trx, scope);
  const uploads = await mine
    .selectFrom('compliance_uploads')
    .select('id')
    .where('case_id', '=', id)
    .execute();
  const extractions = await mine
    .selectFrom('compliance_extractions')
    .select('id')
    .where('case_id', '=', id)
    .execute();
  const jobs = [
    ...uploads.map((each) => scanId(each.id)),
    ...extractions.map((each) => extractId(each.id)),
    caseDeadlineId(id),
    documentExpiryId(id),
    networkId(id),
  ];
  for (const job of jobs) await queue.cancel(trx, job);
  for (const table of TABLES) await mine.deleteFrom(table).where('case_id', '=', id).execute();
  await mine.deleteFrom('compliance_cases').where('id', '=', id).execute();
  return uploads.length;
}
