// @requirement Compliance cases: Cases, uploads, extractions and corrections are isolated between tenants.
import { expect, it } from 'vitest';
import { tenantScopeOfRow } from '../../../src/foundation/access/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { compliancePersonalData } from '../../../src/telephony/compliance/index.ts';
import { bill } from '../../edge/surfaces/compliance/sample-documents.ts';
import { openTestbed, PORT_US } from '../../edge/surfaces/compliance/server.ts';

const TABLES = [
  'compliance_cases',
  'compliance_uploads',
  'compliance_extractions',
  'compliance_corrections',
  'compliance_events',
] as const;

it('forgets a person with all documents, but what is held', async () => {
  const testbed = await openTestbed();
  const mine = await testbed.open({ ...PORT_US, external_id: 'caller-1' });
  const held = await testbed.open({ ...PORT_US, external_id: 'caller-1' });
  const other = await testbed.open({ ...PORT_US, external_id: 'caller-2' });
  for (const { id } of [mine, other]) {
    await testbed.upload(id, 'telephone_bill', bill());
    await testbed.settled(id);
  }
  const row = await acrossTenants(testbed.storage.db)
    .selectFrom('compliance_cases')
    .selectAll()
    .executeTakeFirstOrThrow();
  const scope = tenantScopeOfRow(row);
  const personalData = compliancePersonalData(
    testbed.storage,
    testbed.blobs,
    new JobQueue(testbed.storage, systemClock),
  );
  expect([...(await personalData.dataSubjectsOf(scope))].sort()).toEqual(['caller-1', 'caller-2']);
  expect([await personalData.has(scope, mine.id), await personalData.has(scope, 'ncc_x')]).toEqual([
    true,
    false,
  ]);
  const holds = { among: async () => new Set([held.id as string]) };
  const person = { externalId: 'caller-1', until: Date.now() };
  expect(await personalData.erase(scope, person, holds)).toEqual({
    counts: { compliance_cases: 1, compliance_documents: 1 },
    records: [mine.id],
    held: [held.id],
  });
  expect((await testbed.send('GET', `/${mine.id}`)).status).toBe(404);
  for (const { id } of [held, other]) expect((await testbed.send('GET', `/${id}`)).status).toBe(200);
  for (const table of TABLES) {
    const key = table === 'compliance_cases' ? 'id' : 'case_id';
    const left = await acrossTenants(testbed.storage.db)
      .selectFrom(table as 'compliance_uploads')
      .selectAll()
      .where(key as 'case_id', '=', mine.id)
      .execute();
    expect(left).toEqual([]);
  }
  expect(await testbed.blobs.list('compliance', mine.id)).toEqual([]);
  expect(await personalData.erase(scope, person, holds)).toMatchObject({ records: [], held: [held.id] });
  const elsewhere = tenantScopeOfRow({ ...row, org_id: 'org_of_another' });
  expect(await personalData.has(elsewhere, other.id)).toBe(false);
  expect(await personalData.erase(elsewhere, { ...person, externalId: 'caller-2' }, holds)).toMatchObject({
    records: [],
  });
});
