// @requirement Compliance cases: `clamd` scans documents, and without it a case says that they are pending.
// @requirement Privacy: Legal hold stops sweeps and removals.
import { expect, it } from 'vitest';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import type { ScanVerdict } from '../../../src/telephony/compliance/scanning/clamd.ts';
import { authority, bill, paper } from '../../edge/surfaces/compliance/sample-documents.ts';
import { CLEAN, type Json, openTestbed } from '../../edge/surfaces/compliance/server.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { pollDelay } from '../../poll.ts';

const DAY_MS = 24 * 3600 * 1000;
const codes = (of: Json): string[] => of.missing.map(({ code }: Json) => code);
const clockNow = () => new ManualClock(Date.now());

async function moving(
  clock: ManualClock,
  read: () => Promise<Json>,
  until: (one: Json) => boolean,
  stepMs = 300,
): Promise<Json> {
  for (;;) {
    const found = await read();
    if (until(found)) return found;
    clock.advance(stepMs);
    await pollDelay();
  }
}

// @requirement Compliance cases: A step that runs out of time ends in `needs_review` with its reason.
it('ends in review with its reason when the time for reading runs out', async () => {
  const clock = clockNow();
  const testbed = await openTestbed({
    clock,
    scanner: {
      scan: (_bytes, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
    },
  });
  const { id } = await testbed.open();
  const { json } = await testbed.upload(id, 'telephone_bill', bill());
  expect(json.clock_ends_at).toBe(clock.now() + 900_000);
  const late = await moving(
    clock,
    () => testbed.read(id),
    ({ state }) => state !== 'extracting',
    20_000,
  );
  expect(late).toMatchObject({
    state: 'needs_review',
    clock_ends_at: null,
    extractions: [{ status: 'failed', failure_reason: 'wall_clock_exceeded' }],
  });
  expect(codes(late)).toContain('wall_clock_exceeded');
  expect(late.timeline.map(({ type }: Json) => type)).toContain('wall_clock.ran_out');
  expect(late.updated_at).toBeGreaterThanOrEqual(json.clock_ends_at);
});

it('waits for a scanner that is away, and is clean once that has looked', async () => {
  const clock = clockNow();
  let verdict: ScanVerdict = { kind: 'unavailable', said: 'the malware scanner does not answer' };
  const testbed = await openTestbed({ clock, scanner: { scan: async () => verdict } });
  const { id } = await testbed.open();
  await testbed.upload(id, 'telephone_bill', bill());
  const read = await moving(
    clock,
    () => testbed.read(id),
    ({ state }) => state === 'needs_review',
    1,
  );
  expect(codes(read)).toContain('malware_scan_pending');
  expect(read.extractions[0].status).toBe('succeeded');
  verdict = { kind: 'clean' };
  const clean = await moving(
    clock,
    () => testbed.read(id),
    ({ uploads }) => uploads[0].malware_status === 'clean',
    5_000,
  );
  expect(codes(clean)).not.toContain('malware_scan_pending');
  expect(clean.extractions).toHaveLength(1);
});

// @requirement Compliance cases: Uploads run in parallel, and a case can be cancelled in the middle.
it('stops reading in the middle when the case is given up', async () => {
  const testbed = await openTestbed({
    scanner: {
      scan: async (_bytes, signal) => {
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { kind: 'clean' };
      },
    },
  });
  const { id } = await testbed.open();
  await testbed.upload(id, 'telephone_bill', bill());
  const { json } = await testbed.send('POST', `/${id}/cancel`, {});
  expect(json).toMatchObject({
    state: 'cancelled',
    clock_ends_at: null,
    extractions: [{ status: 'cancelled', failure_reason: 'case_cancelled' }],
  });
  await expect
    .poll(async () => (await testbed.storage.db.selectFrom('jobs').select('id').execute()).length)
    .toBe(0);
  expect(await testbed.read(id)).toEqual(json);
});

// @requirement Compliance cases: Retention deletes documents, except under legal hold or review.
it('deletes documents when they were kept long enough, says so, and leaves what is held', async () => {
  const clock = clockNow();
  const testbed = await openTestbed({ clock, scanner: CLEAN });
  const made = [await testbed.open(), await testbed.open(), await testbed.open()];
  const [gone, held, open] = made.map(({ id }) => id as string) as [string, string, string];
  for (const id of [gone, held, open]) {
    await testbed.upload(id, 'letter_of_authority', authority());
    await moving(
      clock,
      () => testbed.read(id),
      ({ state }) => state === 'needs_review',
      1,
    );
  }
  const { extractions } = await testbed.read(gone);
  const correction = {
    extraction_id: extractions[0].id,
    field: 'account_holder',
    value: 'Jo Doe',
    reason: 'x',
  };
  await testbed.send('POST', `/${gone}/corrections`, correction);
  for (const id of [gone, held]) await testbed.send('POST', `/${id}/cancel`, {});
  const { org_id, project_id, environment } = await acrossTenants(testbed.storage.db)
    .selectFrom('compliance_cases')
    .selectAll()
    .where('id', '=', held)
    .executeTakeFirstOrThrow();
  const hold = { org_id, project_id, environment, record: held, reason: 'A trial.', placed_at: 1 };
  await acrossTenants(testbed.storage.db).insertInto('legal_holds').values(hold).execute();

  clock.advance(89 * DAY_MS);
  await testbed.service.documents.sweep();
  expect(await testbed.blobs.list('compliance', gone)).toHaveLength(1);
  clock.advance(2 * DAY_MS);
  await testbed.service.documents.sweep();
  await testbed.service.documents.sweep();
  expect(await testbed.blobs.list('compliance', gone)).toEqual([]);
  expect(await testbed.blobs.list('compliance', held)).toHaveLength(1);
  expect(await testbed.blobs.list('compliance', open)).toHaveLength(1);
  const swept = await testbed.read(gone);
  expect(swept.timeline.filter(({ type }: Json) => type === 'documents.deleted')).toMatchObject([
    { actor: { kind: 'system' }, detail: { documents: 1 } },
  ]);
  expect(swept).toMatchObject({
    state: 'cancelled',
    uploads: [{ file_name: 'removed', removed_at: clock.now() }],
    extractions: [{ fields: [] }],
    corrections: [{ field: 'account_holder' }],
  });
  const { sealed } = await acrossTenants(testbed.storage.db)
    .selectFrom('compliance_corrections')
    .select('sealed')
    .executeTakeFirstOrThrow();
  expect(sealed).toBeNull();
});

it('keeps documents while the network reviews them, and counts from its answer on', async () => {
  const clock = clockNow();
  let status: 'in_review' | 'approved' = 'in_review';
  const testbed = await openTestbed({
    clock,
    network: {
      name: 'slow',
      everyMs: 1_000,
      evaluate: async () => ({ kind: 'accepted', reference: 'R-1' }),
      review: async () => ({ status, reason: null }),
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
  const read = () => testbed.read(id);
  await moving(clock, read, ({ state }) => state === 'needs_review', 1);
  await testbed.attestAll(await read());
  await testbed.send('POST', `/${id}/submit`);
  const sent = await moving(clock, read, ({ network_status }) => network_status === 'in_review');
  expect(sent).toMatchObject({ state: 'submitted', retention_delete_at: null });
  clock.advance(200 * DAY_MS);
  await testbed.service.documents.sweep();
  expect(await testbed.blobs.list('compliance', id)).toHaveLength(1);
  status = 'approved';
  const approved = await moving(clock, read, ({ network_status }) => network_status === 'approved', 1_000);
  expect(approved.retention_delete_at).toBe(approved.updated_at + 90 * DAY_MS);
  expect(approved.ended_at).toBe(sent.ended_at);
  clock.advance(91 * DAY_MS);
  await testbed.service.documents.sweep();
  expect(await testbed.blobs.list('compliance', id)).toEqual([]);
});
