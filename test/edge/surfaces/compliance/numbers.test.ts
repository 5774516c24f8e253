import { expect, it } from 'vitest';
import { pdfOf } from '../../../../bench/compliance/pdf.ts';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { SYSTEM_ACTOR } from '../../../../src/foundation/audit/index.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { loopbackNumbers } from '../../../../src/telephony/carriers/loopback/numbers.ts';
import { ApprovedNumbers, PhoneNumberService } from '../../../../src/telephony/dialling/index.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { authority, bill, facts } from './sample-documents.ts';
import { type Json, type OpenOptions, openTestbed, PORT_US, type Testbed } from './server.ts';

const GB = '+442079460123';
const NEW_GB = {
  kind: 'new_number',
  country: 'GB',
  number_type: 'local',
  capabilities: ['voice'],
  use_case: 'Support line',
};
const NEW_US = { ...NEW_GB, country: 'US' };
const ADDRESS = '12 Mill Lane, Leeds LS1 2AB';
const PAPERS_GB = {
  company_extract: [
    'Company name: Mill Lane Trading Limited',
    'Company number: 01234567',
    'Director: Jane Walker',
    `Registered office address: ${ADDRESS}`,
  ],
  proof_of_address: [
    'Customer name: Mill Lane Trading Limited',
    `Service address: ${ADDRESS}`,
    `Date of issue: ${new Date().toISOString().slice(0, 10)}`,
  ],
};
const paperOf = (lines: readonly string[]): Buffer =>
  pdfOf([lines.map((text, at) => ({ text, x: 60, y: 90 + 60 * at, size: 11 }))]);

const caller = new OneKeyAccess().principal();
const scope = tenantScopeOf(caller);

async function openBoth(given: OpenOptions = {}, limits = caller.limits) {
  const carrier = { name: 'loopback', numbers: loopbackNumbers } as const;
  const testbed: Testbed = await openTestbed({
    ...given,
    approved: (of) =>
      new ApprovedNumbers({
        storage: testbed.storage,
        clock: systemClock,
        carrier,
        standings: { of: async () => ({ ...caller, limits }) },
      }).take(of),
  });
  const numbers = new PhoneNumberService({
    storage: testbed.storage,
    clock: systemClock,
    carrier,
    access: new OneKeyAccess(),
    hasAgent: async () => true,
    checkTarget: () => {},
    cases: {
      asksBeforeOrder: (number) => testbed.service.registry.asksBeforeOrder(number),
      hasApproved: (...of) => testbed.service.cases.hasApproved(...of),
    },
  });
  return { testbed, numbers };
}

const approved = ({ network_status: status }: Json): boolean => status === 'approved';

async function submitted(testbed: Testbed, id: string): Promise<void> {
  const ready = await testbed.attestAll(await testbed.settled(id));
  expect(ready).toMatchObject({ state: 'ready_for_submission', missing: [] });
  expect((await testbed.send('POST', `/${id}/submit`)).status).toBe(200);
}

onBothDatabases('numbers of a country that asks for a case first', (databases) => {
  it('wait until an approved case names them, and are used from then on', async () => {
    const { options } = await databases.empty();
    const { testbed, numbers } = await openBoth({ database: options });
    const made = await numbers.provision(caller, GB, null, SYSTEM_ACTOR);
    expect(made).toMatchObject({
      status: 'pending_compliance',
      country: 'GB',
      number_type: 'local',
      reference: '',
    });
    expect([await numbers.owned(scope, GB), await numbers.called(GB)]).toEqual([null, null]);
    const us = await numbers.provision(caller, '+14155550101', null, SYSTEM_ACTOR);
    expect(us.status).toBe('active');

    const { id } = await testbed.open({ ...NEW_GB, phone_number: GB });
    for (const [document, lines] of Object.entries(PAPERS_GB))
      await testbed.upload(id, document, paperOf(lines));
    await submitted(testbed, id);
    const ended = await testbed.settled(id, approved);
    expect(ended.phone_number).toBe(GB);
    expect(await numbers.called(GB)).toMatchObject({
      id: made.id,
      status: 'active',
      reference: 'PN442079460123',
    });
    await numbers.release(scope, made.id, SYSTEM_ACTOR);
  });

  it('are given back while they wait, and count among the numbers that a plan allows', async () => {
    const { options } = await databases.empty();
    const { numbers } = await openBoth({ database: options });
    const one = { ...caller, limits: { ...caller.limits, numbersMax: 1 } };
    const made = await numbers.provision(one, GB, null, SYSTEM_ACTOR);
    const more = numbers.provision(one, '+442079460124', null, SYSTEM_ACTOR);
    await expect(more).rejects.toMatchObject({ code: 'numbers_max_exceeded' });
    expect((await numbers.release(scope, made.id, SYSTEM_ACTOR)).status).toBe('released');
  });

  it('are had at once where the case was approved before', async () => {
    const { options } = await databases.empty();
    const { testbed, numbers } = await openBoth({ database: options });
    const { id } = await testbed.open({ ...NEW_GB, phone_number: GB });
    for (const [document, lines] of Object.entries(PAPERS_GB))
      await testbed.upload(id, document, paperOf(lines));
    await submitted(testbed, id);
    await testbed.settled(id, approved);
    expect((await numbers.provision(caller, GB, null, SYSTEM_ACTOR)).status).toBe('active');
  });
});

it('a number that was moved here is added once its case was approved', async () => {
  const { testbed, numbers } = await openBoth();
  const known = facts();
  const { id } = await testbed.open();
  await testbed.upload(id, 'letter_of_authority', authority(known));
  await testbed.upload(id, 'telephone_bill', bill(known));
  await submitted(testbed, id);
  await testbed.settled(id, approved);
  const [added, ...others] = await numbers.list(scope, {}, null);
  expect(others).toEqual([]);
  expect(added).toMatchObject({ status: 'active', country: 'US', number_type: 'local', agent_id: null });
  expect(JSON.stringify(known.phone_number)).toContain(added!.phone_number.slice(-4));
  expect(await numbers.called(added!.phone_number)).toMatchObject({ id: added!.id });
});

it('a number that was moved here waits while its organization has as many as its plan allows', async () => {
  const { testbed } = await openBoth({}, { ...caller.limits, numbersMax: 1 });
  const adopted: string[] = [];
  const taken = new ApprovedNumbers({
    storage: testbed.storage,
    clock: systemClock,
    carrier: {
      name: 'loopback',
      numbers: {
        ...loopbackNumbers,
        adopt: async (number) => {
          adopted.push(number.phoneNumber);
          return { ...number, reference: number.phoneNumber };
        },
      },
    },
    standings: { of: async () => ({ ...caller, limits: { ...caller.limits, numbersMax: 1 } }) },
  });
  const port = (phoneNumber: string) =>
    taken.take({
      scope,
      kind: 'port_in',
      phoneNumber,
      country: 'US',
      numberType: 'local',
      capabilities: ['voice'],
    });
  await port('+12125550171');
  await expect(port('+12125550172')).rejects.toMatchObject({ code: 'numbers_max_exceeded' });
  expect(adopted).toEqual(['+12125550171']);
  await port('+12125550171');
});

it('a document whose name says so has its case rejected, and no number comes of it', async () => {
  const { testbed, numbers } = await openBoth();
  const { id } = await testbed.open();
  await testbed.upload(id, 'letter_of_authority', authority(), { name: 'please reject.pdf' });
  await testbed.upload(id, 'telephone_bill', bill());
  await submitted(testbed, id);
  await testbed.settled(id, (one) => one.network_status === 'rejected');
  expect(await numbers.list(scope, {}, null)).toEqual([]);
});

it('a case that was asked back is submitted again with another use', async () => {
  const { testbed } = await openBoth();
  const { id } = await testbed.open({ ...NEW_US, use_case: 'trial: ask back' });
  await submitted(testbed, id);
  const back = await testbed.settled(id, (one) => one.continuation_reason === 'network_asked_back');
  expect(back.state).toBe('needs_review');
  const changed = await testbed.send('PATCH', `/${id}`, { use_case: 'Calls about appointments' });
  expect(changed.json).toMatchObject({
    state: 'ready_for_submission',
    use_case: 'Calls about appointments',
    missing: [],
    version: expect.any(Number),
  });
  const same = await testbed.send('PATCH', `/${id}`, { use_case: 'Calls about appointments' });
  expect(same.json.version).toBe(changed.json.version);
  const wrong = await testbed.send('PATCH', `/${id}`, { phone_number: GB });
  expect([wrong.status, wrong.json.error.param]).toEqual([400, 'phone_number']);
  await testbed.send('POST', `/${id}/submit`);
  await testbed.settled(id, approved);
  expect((await testbed.send('PATCH', `/${id}`, { use_case: 'Another' })).json.error.code).toBe(
    'case_closed',
  );
});

it('a document is read back as it was uploaded, and the audit log keeps who did', async () => {
  const { testbed } = await openBoth();
  const { id } = await testbed.open(PORT_US);
  const file = bill();
  const { json } = await testbed.upload(id, 'telephone_bill', file);
  const [upload] = json.uploads as Json[];
  const at = `${testbed.url}/v1/telephony/compliance-cases/${id}/documents`;
  const headers = { authorization: `Bearer ${OneKeyAccess.KEY}` };
  const answer = await fetch(`${at}/${upload!.id}`, { headers });
  expect(answer.headers.get('content-type')).toBe('application/pdf');
  expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
  expect((await fetch(`${at}/up_00000000000000000000`, { headers })).status).toBe(404);
  const read = await testbed.storage.db
    .selectFrom('audit_entries')
    .select('target')
    .where('action', '=', 'compliance_document.read')
    .execute();
  expect(read).toEqual([{ target: id }]);
});
