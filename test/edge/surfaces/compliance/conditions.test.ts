// @requirement Compliance cases: Conditions of a market require further fields.
// @requirement Compliance cases: A bill or a customer service record suffices, and the later one counts.
import { describe, expect, it } from 'vitest';
import { pdfOf } from '../../../../bench/compliance/pdf.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';
import { itLong } from '../../../long-tests.ts';
import { authority, bill, facts } from './sample-documents.ts';
import { type Json, openTestbed, PORT_US, type Testbed } from './server.ts';

const DAY_MS = 24 * 3600 * 1000;
const known = facts();
const said = (field: string): string => known[field]![0];
const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

const form = (lines: readonly (readonly [string, string])[]): Buffer =>
  pdfOf([
    lines.map(([label, value], at) => ({ text: `${label}: ${value}`, x: 60, y: 90 + 26 * at, size: 11 })),
  ]);
const record = (days = 3): Buffer =>
  form([
    ['Account holder', said('account_holder')],
    ['Service address', said('service_address')],
    ['Telephone number', said('phone_number')],
    ['Account number', said('account_number')],
    ['Record date', dayAgo(days)],
  ]);
const missing = (of: Json, document: string): Json[] =>
  of.missing.filter(({ document_request_id: id }: Json) => id === document);

async function give(testbed: Testbed, id: string, request: string, bytes: Buffer): Promise<Json> {
  const { status, text } = await testbed.upload(id, request, bytes);
  expect(status, text).toBe(201);
  return await testbed.settled(id);
}

const correct = async (testbed: Testbed, of: Json, field: string, value: string): Promise<Json> => {
  const body = { extraction_id: of.extractions[0].id, field, value, reason: 'The holder said so.' };
  const { status, json, text } = await testbed.send('POST', `/${of.id}/corrections`, body);
  expect(status, text).toBe(200);
  return json;
};

describe('a field that is required by a condition', () => {
  const letter = (): Buffer =>
    form([
      ['Account holder', said('account_holder')],
      ['Service address', said('service_address')],
      ['Telephone number', said('phone_number')],
      ['Account number', said('account_number')],
      ['Authorized signatory', said('signatory_name')],
      ['Date signed', dayAgo(2)],
    ]);

  it.each(['US', 'CA'])('asks for the PIN of a mobile number in %s, and of no other', async (country) => {
    const testbed = await openTestbed();
    for (const number_type of ['mobile', 'local']) {
      const { id, rules_snapshot } = await testbed.open({ ...PORT_US, country, number_type });
      const asked = rules_snapshot.config.documents[0].fields.find(
        ({ field }: Json) => field === 'port_out_pin',
      );
      expect(asked.required_when).toMatchObject({ field: 'number_type', equals: 'mobile' });
      expect(rules_snapshot.source_ids).toContain(asked.required_when.source);
      const of = await give(testbed, id, 'letter_of_authority', letter());
      const pin = missing(of, 'letter_of_authority').filter(({ field }) => field === 'port_out_pin');
      expect(pin).toMatchObject(number_type === 'mobile' ? [{ code: 'field_missing' }] : []);
      if (number_type === 'local') continue;
      expect(pin[0]!.message).toContain('required because number_type is mobile');
      expect(missing(await correct(testbed, of, 'port_out_pin', '482913'), 'letter_of_authority')).toEqual(
        [],
      );
    }
  });

  it('asks for the birth date of a prepaid service in Australia, once it is known to be one', async () => {
    const testbed = await openTestbed();
    const australia = { ...PORT_US, country: 'AU' };
    const written = (plan: string | null): Buffer =>
      form([
        ['Business name', 'Harbour Tools Pty Ltd'],
        ['ABN', '51 824 753 556'],
        ['Service address', '12 George Street, Sydney NSW 2000'],
        ['Mobile number', '0412 345 678'],
        ['Account number', 'AB-12345678'],
        ['Authorised signatory', 'Jane Miller'],
        ['Date signed', dayAgo(2)],
        ...(plan === null ? [] : [['Service plan', plan] as const]),
      ]);
    const fields = async (number_type: string, plan: string | null): Promise<Json> => {
      const { id } = await testbed.open({ ...australia, number_type });
      return await give(testbed, id, 'letter_of_authority', written(plan));
    };
    const names = (of: Json): string[] => missing(of, 'letter_of_authority').map(({ field }) => field);
    expect(names(await fields('local', null))).toEqual([]);
    expect(names(await fields('mobile', 'Postpaid'))).toEqual([]);
    expect(names(await fields('mobile', null))).toEqual(['service_plan']);
    expect(names(await fields('mobile', 'Prepaid / Postpaid'))).toEqual(['service_plan']);
    const prepaid = await fields('mobile', 'Prepaid');
    expect(missing(prepaid, 'letter_of_authority')).toMatchObject([
      {
        code: 'field_missing',
        field: 'birth_date',
        message: expect.stringContaining('service_plan is prepaid'),
      },
    ]);
    expect(names(await correct(testbed, prepaid, 'birth_date', '02/03/1980'))).toEqual([]);
  });
});

describe('a document of which another is enough', () => {
  it('is one of bill and customer service record: either alone makes the case ready', async () => {
    const testbed = await openTestbed();
    for (const [request, bytes] of [
      ['telephone_bill', bill(known)],
      ['customer_service_record', record()],
    ] as const) {
      const made = await testbed.open();
      const named = made.missing.filter(({ message }: Json) => message.includes('one of them is needed'));
      expect(named).toMatchObject([{ code: 'document_missing' }]);
      expect(named[0].message).toContain('Telephone bill or Customer service record');
      expect(made.document_requests).toMatchObject([
        { required: true, one_of: null },
        { id: 'telephone_bill', required: false, one_of: 'proof_of_holding' },
        { id: 'customer_service_record', required: false, one_of: 'proof_of_holding' },
      ]);
      await give(testbed, made.id, 'letter_of_authority', authority(known));
      const of = await testbed.attestAll(await give(testbed, made.id, request, bytes));
      expect(of.missing).toEqual([]);
      expect(of.state).toBe('ready_for_submission');
      expect(of.matches.length).toBeGreaterThanOrEqual(4);
      expect(
        of.matches.every(
          ({ right, left, result }: Json) =>
            result === 'match' && [left, right].some((path: string) => path.startsWith(request)),
        ),
      ).toBe(true);
    }
  });

  itLong('counts as the one that came last, and the other can come again', async () => {
    const testbed = await openTestbed({ clock: new ManualClock(Date.now()) });
    const { id } = await testbed.open();
    await give(testbed, id, 'letter_of_authority', authority(known));
    await give(testbed, id, 'telephone_bill', bill(facts(8)));
    const of = await testbed.attestAll(await testbed.settled(id));
    expect(of.missing.map(({ code }: Json) => code)).toContain('mismatch');
    const recorded = await give(testbed, id, 'customer_service_record', record());
    expect([recorded.state, recorded.missing]).toEqual(['ready_for_submission', []]);
    const again = await give(testbed, id, 'telephone_bill', bill(facts(8)));
    expect(again.missing.map(({ code }: Json) => code)).toContain('mismatch');
    expect(again.state).toBe('needs_review');
  });

  itLong('is too old after thirty days too', async () => {
    const testbed = await openTestbed();
    const { id } = await testbed.open();
    const of = await give(testbed, id, 'customer_service_record', record(40));
    expect(missing(of, 'customer_service_record')).toMatchObject([
      { code: 'document_too_old', field: 'record_date' },
    ]);
  });
});
