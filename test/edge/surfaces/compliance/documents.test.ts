// @requirement Compliance cases: A case has the fields, states and transitions of the specification.
// @requirement Compliance cases: Each step says what is missing and why.
// @requirement Compliance cases: PDF text and pictures are read in limited processes.
// @requirement Compliance cases: Each extraction records its cost and latency.
// @requirement Compliance cases: An extracted value has confidence, provenance and a class of personal data.
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { authority, bill, facts } from './sample-documents.ts';
import { type Json, openTestbed } from './server.ts';

const codes = (of: Json): string[] => of.missing.map(({ code }: Json) => code);
const fieldIn = (of: Json, field: string): Json =>
  of.extractions.flatMap((each: Json) => each.fields).find((each: Json) => each.field === field);

onBothDatabases('documents of cases', (databases) => {
  it('are read, compared and masked; then the case is ready, submitted and approved', async () => {
    const { options } = await databases.empty();
    const testbed = await openTestbed({ database: options });
    const { id } = await testbed.open();
    const known = facts();
    const first = await testbed.upload(id, 'letter_of_authority', authority(known), {
      name: 'loa 212-555-0142.pdf',
    });
    expect(first.status).toBe(201);
    expect(first.json).toMatchObject({
      state: 'extracting',
      uploads: [{ generation: 1, malware_status: 'pending', mime_type: 'application/pdf' }],
      extractions: [{ status: 'queued', processing_profile: 'standard', fields: [] }],
    });
    expect(first.json.clock_ends_at).toBeGreaterThan(Date.now());
    await testbed.upload(id, 'telephone_bill', bill(known));
    const read = await testbed.settled(id);
    expect(read.state).toBe('needs_review');
    expect(new Set(codes(read))).toEqual(new Set(['attestation_missing']));
    expect(read.extractions).toMatchObject([
      { status: 'succeeded', attempts: 1, cost_micros: 20, failure_reason: null },
      { status: 'succeeded', cost_micros: 20 },
    ]);
    expect(read.extractions[0].latency_ms).toBeGreaterThanOrEqual(1);
    expect(read.matches.map(({ result }: Json) => result)).toEqual(Array(5).fill('match'));
    expect(read.uploads[0].malware_status).toBe('clean');
    expect(read.uploads[0].file_name).not.toContain('555');
    const name = fieldIn(read, 'account_holder');
    expect(name).toMatchObject({
      pii_class: 'name',
      redacted: true,
      valid: true,
      provenance: { source: 'text', page: 1, box: expect.any(Array), words: expect.any(Array) },
    });
    for (const [, stored] of [
      known.account_holder!,
      known.service_address!,
      known.account_number!,
      known.port_out_pin!,
    ])
      expect(JSON.stringify(read)).not.toContain(stored);
    expect(JSON.stringify(read)).not.toContain(known.phone_number![1]);

    const ready = await testbed.attestAll(read);
    expect(ready).toMatchObject({ state: 'ready_for_submission', missing: [], clock_ends_at: null });
    const sent = await testbed.send('POST', `/${id}/submit`);
    expect(sent.json).toMatchObject({
      network_status: 'evaluating',
      continuation_reason: 'network_evaluating',
    });
    const approved = await testbed.settled(id, ({ network_status }) => network_status === 'approved');
    expect(approved).toMatchObject({
      state: 'submitted',
      terminal_reason: 'network_review_submitted',
      continuation_reason: 'network_approved',
      network_reference: expect.stringMatching(/^LBA-/),
    });
    const reviewed = approved.timeline.findLast(({ type }: Json) => type === 'network.reviewed').at;
    expect(approved.retention_delete_at - 90 * 24 * 3600 * 1000).toBeGreaterThan(approved.ended_at);
    expect(approved.retention_delete_at - 90 * 24 * 3600 * 1000).toBeLessThanOrEqual(reviewed);
    const versions = approved.timeline.map(({ version }: Json) => version);
    expect(versions).toEqual(versions.map((_: number, at: number) => at + 1));
  });

  // @requirement Compliance cases: Uploads run in parallel, and a case can be cancelled in the middle.
  it('come at the same moment, and none is lost', async () => {
    const { options } = await databases.empty();
    const testbed = await openTestbed({ database: options });
    const { id } = await testbed.open();
    const answers = await Promise.all([
      testbed.upload(id, 'letter_of_authority', authority()),
      testbed.upload(id, 'telephone_bill', bill()),
      testbed.upload(id, 'letter_of_authority', authority(facts(8))),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const read = await testbed.settled(id);
    expect(read.uploads).toHaveLength(3);
    const loas = read.uploads.filter((each: Json) => each.document_request_id === 'letter_of_authority');
    expect(loas.map(({ generation }: Json) => generation).sort()).toEqual([1, 2]);
    expect(
      read.extractions.filter(({ status }: Json) => status === 'succeeded').length,
    ).toBeGreaterThanOrEqual(2);
    expect(read.state).toBe('needs_review');
  });
});

// @requirement Compliance cases: Uploads are identified by content, size and sha256.
// @requirement Compliance cases: Documents are compared with each other, with reasons.
it('say why they do not agree, and a newer file takes the place of an older one', async () => {
  const testbed = await openTestbed();
  const { id } = await testbed.open();
  await testbed.upload(id, 'letter_of_authority', authority());
  await testbed.upload(id, 'telephone_bill', bill(facts(9)));
  const wrong = await testbed.settled(id);
  expect(codes(wrong)).toContain('mismatch');
  expect(wrong.matches.find(({ id: name }: Json) => name === 'number')).toMatchObject({
    result: 'mismatch',
    score: 0,
    reason: 'The numbers differ.',
  });
  await testbed.attestAll(wrong);
  await testbed.upload(id, 'telephone_bill', bill());
  const right = await testbed.settled(id);
  expect(right.state).toBe('ready_for_submission');
  expect(right.uploads.map(({ generation }: Json) => generation)).toEqual([1, 1, 2]);
  const again = await testbed.upload(id, 'telephone_bill', bill(facts(9)));
  expect(again.json.state).toBe('extracting');
  expect((await testbed.settled(id)).state).toBe('needs_review');
});

it('change nothing when the same bytes come again', async () => {
  const testbed = await openTestbed();
  const { id } = await testbed.open();
  await testbed.upload(id, 'telephone_bill', bill());
  const read = await testbed.settled(id);
  const again = await testbed.upload(id, 'telephone_bill', bill());
  expect(again.status).toBe(201);
  expect(again.json).toEqual(read);
  expect(await testbed.blobs.list('compliance', id)).toHaveLength(1);
});

// @requirement Compliance cases: A correction keeps the old value sealed.
it('are corrected; the value before stays sealed', async () => {
  const testbed = await openTestbed();
  const { id } = await testbed.open();
  await testbed.upload(id, 'letter_of_authority', authority());
  await testbed.upload(
    id,
    'telephone_bill',
    bill({ ...facts(), account_holder: ['Somebody Else', 'Somebody Else'] }),
  );
  const read = await testbed.settled(id);
  expect(codes(read)).toContain('mismatch');
  const extraction_id = read.extractions[1].id;
  const value = facts().account_holder![1];
  const given = { extraction_id, field: 'account_holder', value, reason: 'Spelt out on page 2.' };
  const { json, status } = await testbed.send('POST', `/${id}/corrections`, given);
  expect(status).toBe(200);
  expect(codes(json)).not.toContain('mismatch');
  expect(json.corrections).toEqual([
    {
      id: expect.stringMatching(/^ccor_/),
      extraction_id,
      field: 'account_holder',
      reason: 'Spelt out on page 2.',
      corrected_by: { kind: 'key', id: expect.any(String) },
      corrected_at: expect.any(Number),
    },
  ]);
  const field = json.extractions[1].fields.find((each: Json) => each.field === 'account_holder');
  expect(field).toMatchObject({ confidence: 1, provenance: { source: 'correction', page: null, box: null } });
  expect(JSON.stringify(json)).not.toContain(value);
  for (const [param, bad] of [
    ['extraction_id', { ...given, extraction_id: 'ext_00000000000000000000' }],
    ['field', { ...given, field: 'shoe_size' }],
    ['value', { ...given, field: 'phone_number', value: 'twelve' }],
  ] as const) {
    const refused = await testbed.send('POST', `/${id}/corrections`, bad);
    expect([refused.status, refused.json.error.param]).toEqual([400, param]);
  }
});

// @requirement Compliance cases: A bill must be younger than 30 days.
it('are too old for the case after thirty days', async () => {
  const testbed = await openTestbed();
  const { id } = await testbed.open();
  const old = new Date(Date.now() - 31 * 86_400_000).toISOString().slice(0, 10);
  await testbed.upload(id, 'telephone_bill', bill({ ...facts(), bill_date: [old, old] }));
  const read = await testbed.settled(id);
  expect(read.missing.find(({ code }: Json) => code === 'document_too_old')).toMatchObject({
    field: 'bill_date',
    message: expect.stringContaining('31 days ago; the limit is 30 days'),
  });
});

it('are not submitted before the case is ready, and it says why', async () => {
  const testbed = await openTestbed();
  const { id } = await testbed.open();
  const { status, json } = await testbed.send('POST', `/${id}/submit`);
  expect([status, json.error.code]).toEqual([409, 'case_not_ready']);
  expect(json.detail).toContain('Letter of authority, signed: no document has been uploaded.');
});

// @requirement Compliance cases: The `loopback` network approves, asks back and rejects.
it.each([
  ['trial: ask back, please', 'needs_review', 'network_asked_back'],
  ['trial: reject this', 'submitted', 'network_rejected'],
])('of a use that begins with %s end %s', async (use_case, state, continuation) => {
  const testbed = await openTestbed();
  const made = await testbed.open({
    kind: 'new_number',
    country: 'US',
    number_type: 'local',
    capabilities: ['voice'],
    use_case,
  });
  await testbed.attestAll(made);
  await testbed.send('POST', `/${made.id}/submit`);
  const ended = await testbed.settled(made.id, (one) => one.continuation_reason === continuation);
  expect(ended.state).toBe(state);
  expect(ended.network_reason).toMatch(/^The network/);
  if (state === 'needs_review') expect(codes(ended)).toEqual(['network_asked_back']);
});

it('are submitted nowhere without a network', async () => {
  const testbed = await openTestbed({ network: null });
  const made = await testbed.open({
    kind: 'new_number',
    country: 'US',
    number_type: 'local',
    capabilities: ['voice'],
    use_case: 'Support line',
  });
  await testbed.attestAll(made);
  const { status, json } = await testbed.send('POST', `/${made.id}/submit`);
  expect([status, json.error.code]).toEqual([409, 'network_not_configured']);
});
