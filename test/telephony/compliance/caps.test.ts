// @requirement Compliance cases: Thresholds, retries, parallelism, cost and retention are configured.
/** The rules of a case bound cost, tries and concurrent documents, as they were when the case was opened. */
import { expect, it } from 'vitest';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import type { PictureReader } from '../../../src/telephony/compliance/index.ts';
import { readRules } from '../../../src/telephony/compliance/registry/reading.ts';
import { Registry } from '../../../src/telephony/compliance/registry/registry.ts';
import type { Processing } from '../../../src/telephony/compliance/registry/schema.ts';
import { bill, paper } from '../../edge/surfaces/compliance/sample-documents.ts';
import { type Json, openTestbed, type Testbed } from '../../edge/surfaces/compliance/server.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { pollDelay } from '../../poll.ts';

const rules = readRules();
const registryWith = (processing: Partial<Processing>, version = 'of-a-test'): Registry => {
  const { shared, countries } = rules;
  return new Registry({
    countries,
    shared: { ...shared, version, processing: { ...shared.processing, ...processing } },
  });
};
const DEAR = { text_page_micros: 20, image_page_micros: 400, max_micros: 19 };
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\0IEND\xaeB`\x82', 'latin1');
const rowOf = (testbed: Testbed, id: string) =>
  acrossTenants(testbed.storage.db)
    .selectFrom('compliance_cases')
    .select(['version', 'state'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
const codes = (of: Json): string[] => of.missing.map(({ code }: Json) => code);

const readerOf = (read: () => Promise<never[]>): PictureReader =>
  ({ version: 'of-a-test', read }) as unknown as PictureReader;

it('a document that would exceed the cost limit than the rules allow is not read, and costs nothing', async () => {
  const testbed = await openTestbed({ registry: registryWith({ cost: DEAR }) });
  const { id } = await testbed.open();
  await testbed.upload(id, 'telephone_bill', bill());
  const read = await testbed.settled(id);
  expect(read.extractions).toMatchObject([
    { status: 'failed', failure_reason: 'cost_exceeded', cost_micros: 0, fields: [] },
  ]);
  expect(read.missing.find(({ code }: Json) => code === 'cost_exceeded').message).toContain(
    'would exceed the cost limit',
  );
});

// @requirement Compliance cases: A case keeps the rules of its creation.
it('a case keeps the rules that it was opened with, whatever the registry says later', async () => {
  const testbed = await openTestbed({ registry: registryWith({ cost: DEAR }, 'of-before') });
  const { id } = await testbed.open();
  await testbed.service.stop(0);
  const later = await openTestbed({
    database: { dataDir: testbed.folder },
    registry: registryWith({ parallelism: 7 }, 'of-later'),
  });
  expect((await later.open()).rules_snapshot).toMatchObject({
    registry_version: 'of-later',
    config: { parallelism: 7 },
  });
  await later.upload(id, 'telephone_bill', bill());
  const read = await later.settled(id);
  expect(read.rules_snapshot).toMatchObject({ registry_version: 'of-before', config: { cost: DEAR } });
  expect(read.extractions[0].failure_reason).toBe('cost_exceeded');
});

it('reading that fails is tried as often as the rules say, then it is for a person', async () => {
  const clock = new ManualClock(Date.now());
  let tries = 0;
  const pictures = readerOf(async () => {
    tries += 1;
    throw new Error('out of memory');
  });
  const registry = registryWith({ retry: { scan: 3, extract: 2 } });
  const testbed = await openTestbed({ clock, pictures, registry });
  const { id } = await testbed.open();
  await testbed.upload(id, 'telephone_bill', PNG);
  let read = await testbed.read(id);
  while (read.state === 'extracting') {
    clock.advance(3_000);
    await pollDelay();
    read = await testbed.read(id);
  }
  expect(tries).toBe(2);
  expect(read.extractions).toMatchObject([
    { status: 'failed', failure_reason: 'extraction_failed', attempts: 2, cost_micros: 0 },
  ]);
  expect([read.state, codes(read).includes('extraction_failed')]).toEqual(['needs_review', true]);
});

it('a scan that fails is tried as often as the rules say, and never makes a file clean', async () => {
  const clock = new ManualClock(Date.now());
  let tries = 0;
  const scan = async (): Promise<never> => {
    tries += 1;
    throw new Error('out of memory');
  };
  const registry = registryWith({ retry: { scan: 2, extract: 3 } });
  const testbed = await openTestbed({ clock, scanner: { scan }, registry });
  const { id } = await testbed.open();
  await testbed.upload(id, 'telephone_bill', bill());
  let read = await testbed.read(id);
  while (read.state === 'extracting') {
    clock.advance(3_000);
    await pollDelay();
    read = await testbed.read(id);
  }
  expect(tries).toBe(2);
  expect(read.uploads).toMatchObject([{ malware_status: 'unscannable' }]);
  expect(read.extractions).toMatchObject([{ status: 'failed', failure_reason: 'malware_scan_failed' }]);
});

it('no more documents of a case are read at a time than the rules say', async () => {
  let most = 0;
  let now = 0;
  const pictures = readerOf(async () => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setTimeout(resolve, 300));
    now -= 1;
    return [];
  });
  const india = {
    kind: 'new_number',
    country: 'IN',
    number_type: 'local',
    capabilities: ['voice'],
    use_case: 'Support',
  };
  for (const parallelism of [1, 2]) {
    most = 0;
    const testbed = await openTestbed({ pictures, registry: registryWith({ parallelism }) });
    const { id, document_requests } = await testbed.open(india);
    await Promise.all(
      document_requests.map((asked: Json) =>
        testbed.upload(
          id,
          asked.id,
          Buffer.concat([PNG.subarray(0, 8), Buffer.from(asked.id), PNG.subarray(8)]),
        ),
      ),
    );
    const read = await testbed.settled(id);
    expect(read.extractions).toHaveLength(4);
    expect(most).toBe(parallelism);
  }
});

it('a document that grew old changes nothing for a submission that goes by an old version', async () => {
  const clock = new ManualClock(Date.now());
  const testbed = await openTestbed({ clock });
  const { id } = await testbed.open({
    kind: 'new_number',
    country: 'CA',
    number_type: 'local',
    capabilities: ['voice'],
    use_case: 'Support line',
  });
  await testbed.upload(id, 'proof_of_address', paper('proof_of_address', 'CA').pdf);
  const { version } = await testbed.attestAll(await testbed.settled(id));
  await testbed.service.stop(0);
  clock.advance(95 * 24 * 3600 * 1000);
  const submit = (by: number) => testbed.send('POST', `/${id}/submit`, undefined, { 'if-match': `"${by}"` });
  const stale = await submit(version - 1);
  expect([stale.status, stale.json.error.code]).toEqual([409, 'version_conflict']);
  expect(await rowOf(testbed, id)).toMatchObject({ version, state: 'ready_for_submission' });
  const aged = await submit(version);
  expect([aged.status, aged.json.error.code]).toEqual([409, 'case_not_ready']);
  expect((await testbed.read(id)).timeline.map(({ type }: Json) => type)).toContain('evidence.aged');
});

it('a document that grows old while the network looks at the case changes nothing of it', async () => {
  const clock = new ManualClock(Date.now());
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const testbed = await openTestbed({
    clock,
    network: {
      name: 'slow',
      everyMs: 1_000,
      evaluate: () => answered.then(() => ({ kind: 'accepted', reference: 'R-1' })),
      review: async () => ({ status: 'approved', reason: null }),
    },
  });
  const { id } = await testbed.open({
    kind: 'new_number',
    country: 'CA',
    number_type: 'local',
    capabilities: ['voice'],
    use_case: 'Support line',
  });
  await testbed.upload(id, 'proof_of_address', paper('proof_of_address', 'CA').pdf);
  await testbed.attestAll(await testbed.settled(id));
  await testbed.send('POST', `/${id}/submit`);
  clock.advance(95 * 24 * 3600 * 1000);
  const again = await testbed.send('POST', `/${id}/submit`);
  expect(again.json).toMatchObject({ state: 'ready_for_submission', network_status: 'evaluating' });
  answer();
  const sent = await testbed.settled(id, ({ state }) => state === 'submitted');
  expect(sent.network_reference).toBe('R-1');
});
