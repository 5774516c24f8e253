// @requirement Compliance cases: A case has the fields, states and transitions of the specification.
// @requirement Compliance cases: Errors are problem+json with the `error` envelope.
// @requirement Compliance cases: Each step says what is missing and why.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../../../../src/foundation/webhooks/index.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { problemOf } from '../../../foundation/webhooks/checked.ts';
import { openTestbed, PORT_US } from './server.ts';

const ENVELOPE = { id: 'evt_00000000000000000000', created_at: 1 };
const NEW_US = { ...PORT_US, kind: 'new_number', capabilities: ['voice'] };
const key = () => ({ 'idempotency-key': randomUUID() });

onBothDatabases('compliance cases', (databases) => {
  const open = async () => {
    const { options } = await databases.empty();
    return await openTestbed({ database: options });
  };

  it('opens a case with its rules frozen, and says what is missing and why', async () => {
    const testbed = await open();
    const { status, json, headers } = await testbed.send('POST', '', PORT_US, key());
    expect(status).toBe(201);
    expect(headers.get('etag')).toBe('"1"');
    expect(json).toMatchObject({
      id: expect.stringMatching(/^ncc_[0-9A-Za-z]{20}$/),
      object: 'telephony.compliance_case',
      state: 'collecting_evidence',
      version: 1,
      network_status: 'draft',
      continuation_reason: 'evidence_missing',
      terminal_reason: null,
      retention_delete_at: null,
      uploads: [],
      extractions: [],
      corrections: [],
      attestations: [],
      rules_snapshot: { available: true, registry_version: expect.any(String) },
      timeline: [{ version: 1, type: 'case.created', actor: { kind: 'key' } }],
    });
    expect(json.document_requests[0]).toEqual({
      id: 'letter_of_authority',
      document_type: 'letter_of_authority',
      label: 'Letter of authority, signed',
      required: true,
      one_of: null,
      accepted_mime_types: ['application/pdf', 'image/png', 'image/jpeg'],
      max_bytes: 10_485_760,
    });
    expect(json.missing.map(({ code }: { code: string }) => code)).toEqual([
      'document_missing',
      'document_missing',
      'attestation_missing',
      'attestation_missing',
      'attestation_missing',
    ]);
    expect(await testbed.read(json.id)).toEqual(json);
  });

  // @requirement Compliance cases: `Idempotency-Key` is required; the same request gets the first answer, and another body answers 409.
  it('gives the first answer again to the same key, and refuses another body under it', async () => {
    const testbed = await open();
    const headers = key();
    const first = await testbed.send('POST', '', PORT_US, headers);
    const again = await testbed.send('POST', '', { ...PORT_US }, headers);
    expect(again.json).toEqual(first.json);
    const other = await testbed.send('POST', '', NEW_US, headers);
    expect([other.status, other.json.error.code]).toEqual([409, 'idempotency_conflict']);
    expect((await testbed.send('GET', '')).json.data).toHaveLength(1);
  });

  it('goes from attestations to ready where the rules ask for no document, through each state', async () => {
    const reported: WebhookEvent[] = [];
    const webhooks = {
      publish: async (_trx: unknown, event: WebhookEvent) => {
        reported.push(event);
        return null;
      },
    };
    const testbed = await openTestbed({ webhooks });
    const made = await testbed.open(NEW_US);
    const ready = await testbed.attestAll(made);
    expect(ready).toMatchObject({
      state: 'ready_for_submission',
      missing: [],
      continuation_reason: 'ready_to_submit',
    });
    const moves = ready.timeline.filter(({ to }: { to: unknown }) => to !== null);
    expect(moves.map(({ from, to }: Record<string, string>) => `${from} ${to}`)).toEqual([
      'collecting_evidence extracting',
      'extracting ready_for_submission',
    ]);
    const versions = ready.timeline.map(({ version }: { version: number }) => version);
    expect(versions).toEqual(versions.map((_: number, at: number) => at + 1));
    expect(ready.version).toBe(versions.length);
    expect(reported.map(({ type }) => type)).toEqual(reported.map(() => 'compliance.case.updated'));
    expect(reported.at(-1)).toMatchObject({
      resource: made.id,
      data: { state: 'ready_for_submission', version: ready.version, continuation_reason: 'ready_to_submit' },
    });
    expect(
      reported.every(
        (event) => problemOf({ ...ENVELOPE, type: event.type, data: event.data } as never) === null,
      ),
    ).toBe(true);
  });

  it('records an attestation once, even if it is sent again', async () => {
    const testbed = await open();
    const { id } = await testbed.open(NEW_US);
    const body = { attestation_request_id: 'accurate', accepted: true };
    const first = await testbed.send('POST', `/${id}/attestations`, body);
    const second = await testbed.send('POST', `/${id}/attestations`, body);
    expect(second.json).toEqual(first.json);
    expect(first.json.attestations).toHaveLength(1);
    const unknown = await testbed.send('POST', `/${id}/attestations`, {
      ...body,
      attestation_request_id: 'x',
    });
    expect([unknown.status, unknown.json.error.param]).toEqual([400, 'attestation_request_id']);
  });

  // @requirement Compliance cases: Of two writers with one version, `If-Match` lets one through.
  it('refuses a change that goes by an old version', async () => {
    const testbed = await open();
    const { id } = await testbed.open(NEW_US);
    const body = { attestation_request_id: 'accurate', accepted: true };
    const good = await testbed.send('POST', `/${id}/attestations`, body, { 'if-match': '"1"' });
    expect(good.json.version).toBe(2);
    const old = await testbed.send('POST', `/${id}/cancel`, {}, { 'if-match': '"1"' });
    expect([old.status, old.json.error.code]).toEqual([409, 'version_conflict']);
    expect(old.headers.get('content-type')).toContain('application/problem+json');
    const bad = await testbed.send('POST', `/${id}/cancel`, {}, { 'if-match': '"one"' });
    expect([bad.status, bad.json.error.param]).toEqual([400, 'if-match']);
    expect((await testbed.read(id)).state).toBe('collecting_evidence');
  });

  it('ends a case that is given up, and changes nothing of it any more', async () => {
    const testbed = await open();
    const { id } = await testbed.open(PORT_US);
    const reason = 'They called +1 212 555 0142 and changed their mind.';
    const { json } = await testbed.send('POST', `/${id}/cancel`, { reason });
    expect(json).toMatchObject({
      state: 'cancelled',
      terminal_reason: 'cancelled_by_customer',
      continuation_reason: 'cancelled',
      missing: [],
    });
    expect(json.retention_delete_at - json.ended_at).toBe(90 * 24 * 3600 * 1000);
    expect(json.timeline.at(-2).reason).toBe('They called [REDACTED_PHONE] and changed their mind.');
    const again = await testbed.send('POST', `/${id}/cancel`, {});
    expect([again.status, again.json.error.code]).toEqual([409, 'case_closed']);
    expect(await testbed.read(id)).toEqual(json);
  });

  it('lets one of two changes of the same version through', async () => {
    const testbed = await open();
    const { id } = await testbed.open(NEW_US);
    const ids = ['accurate', 'end_user', 'rules_confirmed'];
    const answers = await Promise.all(
      ids.map((asked) =>
        testbed.send(
          'POST',
          `/${id}/attestations`,
          { attestation_request_id: asked, accepted: true },
          { 'if-match': '"1"' },
        ),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await testbed.read(id)).attestations).toHaveLength(1);
  });
});

describe('requests about compliance cases', () => {
  it.each([
    ['no key', {}, PORT_US, 'idempotency-key'],
    ['a key that is too long', { 'idempotency-key': 'x'.repeat(256) }, PORT_US, 'idempotency-key'],
    ['an empty key', { 'idempotency-key': '' }, PORT_US, 'idempotency-key'],
    ['an unknown kind', key(), { ...PORT_US, kind: 'steal' }, 'kind'],
    ['an unknown country', key(), { ...PORT_US, country: 'FR' }, 'country'],
    ['no capabilities', key(), { ...PORT_US, capabilities: [] }, 'capabilities'],
    ['an unknown field', key(), { ...PORT_US, state: 'submitted' }, 'state'],
  ])('are refused with %s', async (_what, headers, body, param) => {
    const testbed = await openTestbed();
    const { status, json } = await testbed.send('POST', '', body, headers as Record<string, string>);
    expect([status, json.error.code, json.error.param]).toEqual([400, 'invalid_request', param]);
  });

  // @requirement Compliance cases: Missing rules fail closed with a code.
  it('fail closed where there are no rules', async () => {
    const testbed = await openTestbed();
    const { status, json, headers } = await testbed.send(
      'POST',
      '',
      { ...PORT_US, number_type: 'satellite' },
      key(),
    );
    expect([status, json.error.code, json.error.param]).toEqual([422, 'rules_unavailable', 'number_type']);
    expect(json.detail).toContain('local, mobile, toll_free');
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect((await testbed.send('GET', '')).json.data).toEqual([]);
  });

  it('find nobody else’s case', async () => {
    const testbed = await openTestbed();
    await testbed.open();
    for (const id of ['ncc_00000000000000000000', 'ncc_x', 'x', `ncc_${'a'.repeat(100)}`]) {
      expect((await testbed.send('GET', `/${id}`)).status).toBe(404);
      expect((await testbed.send('POST', `/${id}/cancel`, {})).status).toBe(404);
    }
  });

  it('are listed in pages, newest first, by state, kind and country', async () => {
    const testbed = await openTestbed();
    const made = [];
    for (const body of [PORT_US, NEW_US, PORT_US]) made.push((await testbed.open(body)).id);
    const first = (await testbed.send('GET', '?limit=2')).json;
    const rest = (await testbed.send('GET', `?limit=2&cursor=${first.next_cursor}`)).json;
    const ids = [...first.data, ...rest.data].map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual([...made].sort());
    expect(rest.next_cursor).toBeNull();
    const count = async (query: string) => (await testbed.send('GET', query)).json.data.length;
    expect([
      await count('?kind=new_number'),
      await count('?country=GB'),
      await count('?state=cancelled'),
    ]).toEqual([1, 0, 0]);
  });
});
