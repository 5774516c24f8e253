// @requirement Compliance cases: Views apply the age of documents at the time of reading.
/** Documents expire without an event: each read reports the state that holds now. */
import { expect, it } from 'vitest';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { authority, bill, paper } from '../../edge/surfaces/compliance/sample-documents.ts';
import { type Json, openTestbed, type Testbed } from '../../edge/surfaces/compliance/server.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { pollDelay } from '../../poll.ts';

const DAY_MS = 24 * 3600 * 1000;
const CANADA = {
  kind: 'new_number',
  country: 'CA',
  number_type: 'local',
  capabilities: ['voice'],
  use_case: 'Support line',
};
const aged = (of: Json): Json[] => of.timeline.filter(({ type }: Json) => type === 'evidence.aged');

async function ready(testbed: Testbed): Promise<Json> {
  const { id } = await testbed.open(CANADA);
  await testbed.upload(id, 'proof_of_address', paper('proof_of_address', 'CA').pdf);
  const of = await testbed.attestAll(await testbed.settled(id));
  expect(of.state).toBe('ready_for_submission');
  return of;
}

const stateInRow = async (testbed: Testbed, id: string): Promise<string> =>
  (
    await acrossTenants(testbed.storage.db)
      .selectFrom('compliance_cases')
      .select('state')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).state;

onBothDatabases('a case whose papers grow old', (databases) => {
  it('is told as it is by now, also where no worker has looked', async () => {
    const clock = new ManualClock(Date.now());
    const testbed = await openTestbed({ database: (await databases.empty()).options, clock });
    const before = await ready(testbed);
    await testbed.service.stop(0);
    clock.advance(95 * DAY_MS);
    const list = await testbed.send('GET', '?state=ready_for_submission');
    expect(list.json.data).toEqual([]);
    const [one, other] = await Promise.all([testbed.read(before.id), testbed.read(before.id)]);
    for (const now of [one, other]) {
      expect(now).toMatchObject({ state: 'needs_review', continuation_reason: 'review_needed' });
      expect(now.missing).toMatchObject([{ code: 'document_too_old', field: 'issue_date' }]);
      expect(now.version).toBe(before.version + 2);
      expect(aged(now)).toMatchObject([{ actor: { kind: 'system' } }]);
    }
  });

  it('is moved by the worker on that day, and stands in the list of its state', async () => {
    const clock = new ManualClock(Date.now());
    const testbed = await openTestbed({ database: (await databases.empty()).options, clock });
    const { id } = await ready(testbed);
    clock.advance(DAY_MS);
    for (let looks = 0; looks < 10; looks += 1) await pollDelay();
    expect(await stateInRow(testbed, id)).toBe('ready_for_submission');
    clock.advance(94 * DAY_MS);
    await expect
      .poll(
        async () => {
          clock.advance(1_000);
          return await stateInRow(testbed, id);
        },
        { timeout: 20_000 },
      )
      .toBe('needs_review');
    const { json } = await testbed.send('GET', '?state=needs_review');
    expect(json.data.map((each: Json) => each.id)).toEqual([id]);
  });
});

it('a bill of more than 30 days says so in the view of its case', async () => {
  const clock = new ManualClock(Date.now());
  const testbed = await openTestbed({ clock });
  const { id } = await testbed.open();
  await testbed.upload(id, 'letter_of_authority', authority());
  await testbed.upload(id, 'telephone_bill', bill());
  expect((await testbed.attestAll(await testbed.settled(id))).state).toBe('ready_for_submission');
  clock.advance(31 * DAY_MS);
  const now = await testbed.read(id);
  expect(now.state).toBe('needs_review');
  expect(now.missing).toMatchObject([{ code: 'document_too_old', field: 'bill_date' }]);
});
