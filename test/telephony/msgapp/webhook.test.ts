import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { eventsOf, isSigned, numbersOf } from '../../../src/telephony/msgapp/index.ts';

const delivery = (field: string, value: object) => ({
  object: 'whatsapp_business_account',
  entry: [{ changes: [{ field, value: { metadata: { phone_number_id: '42' }, ...value } }] }],
});
const call = { id: 'wacid.1', from: '15550001', to: '15550002', direction: 'USER_INITIATED' };

// @requirement Messaging apps: `connect`, `terminate` and `status` are read in each form that the provider sends.
it('reads errors wherever they are, in either casing', () => {
  const ended = { ...call, event: 'terminate', status: 'FAILED' };
  const errors = [
    delivery('calls', { calls: [{ ...ended, errors: [{ code: 138_021, title: 'No media' }] }] }),
    delivery('calls', { calls: [ended], errors: [{ Code: 138_021, Message: 'No media' }] }),
    delivery('calls', { calls: [{ ...ended, errors: { code: 138_021, message: 'No media' } }] }),
  ];
  for (const body of errors)
    expect(eventsOf(body)).toMatchObject([
      { kind: 'terminate', completed: false, error: '138021: No media' },
    ]);
  expect(eventsOf(delivery('calls', { calls: [{ ...ended, status: 'Completed' }] }))).toMatchObject([
    { completed: true, error: null },
  ]);
});

it('reads statuses and replies, and leaves what it does not know', () => {
  expect(
    eventsOf(
      delivery('calls', {
        statuses: [{ id: 'wacid.1', status: 'ACCEPTED' }, { status: 'RINGING' }, { id: 'x', status: 'NEW' }],
      }),
    ),
  ).toEqual([{ phoneNumberId: '42', kind: 'status', callId: 'wacid.1', status: 'accepted' }]);
  const reply = { response: 'accept', is_permanent: false, expiration_timestamp: 1_800_000_000 };
  expect(
    eventsOf(
      delivery('messages', {
        messages: [
          { from: '15550001', timestamp: '1799999999', interactive: { call_permission_reply: reply } },
        ],
      }),
    ),
  ).toMatchObject([
    { kind: 'permission', accepted: true, permanent: false, until: 1_800_000_000_000, at: 1_799_999_999_000 },
  ]);
  for (const body of [
    null,
    1,
    [],
    {},
    { entry: 1 },
    { entry: [{ changes: [null] }] },
    delivery('other', { calls: 'x' }),
  ])
    expect(eventsOf(body)).toEqual([]);
  expect(numbersOf(delivery('calls', {}))).toEqual(['42']);
});

// @requirement Messaging apps: The webhook answers `hub.challenge`, checks the signature and answers within 1 s.
it('takes only what is signed over its very bytes', () => {
  const body = Buffer.from('{"a": 1}');
  const signature = `sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`;
  expect(isSigned(body, signature, 'secret')).toBe(true);
  expect(isSigned(Buffer.from('{"a":1}'), signature, 'secret')).toBe(false);
  expect(isSigned(body, signature, 'other')).toBe(false);
  for (const wrong of [undefined, '', 'sha256=', signature.slice(7), 'sha1=00'])
    expect(isSigned(body, wrong, 'secret')).toBe(false);
});
