import { expect, it, vi } from 'vitest';
import {
  actions,
  aNumber,
  aPhone,
  ask,
  callsOf,
  deliver,
  PERSON,
  phone,
  provider,
  reported,
  world,
} from './messaging.ts';

it('places a call once for one Idempotency-Key, shows it, hangs it up, and none while calling is off', async ({
  skip,
}) => {
  if (!world.ready) skip('the models are not whole');
  provider.send({ permitted: true });
  const { id, phoneNumberId } = await aNumber();
  const person = '15550002222';
  const permissions = `/v1/msgapp/numbers/${id}/call-permissions?to=%2B${person}`;
  expect((await ask(permissions)).json).toMatchObject({ number_id: id, status: 'none', until: null });
  const reply = { call_permission_reply: { response: 'accept', is_permanent: true } };
  await deliver(
    phoneNumberId,
    { messages: [{ from: person, type: 'interactive', interactive: reply }] },
    { field: 'messages' },
  );
  expect((await ask(permissions)).json).toMatchObject({ status: 'granted', until: null });
  const place = (key: string) =>
    world.send('/v1/msgapp/calls', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.ours.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ number_id: id, to: `+${person}` }),
    });
  const connects = () => reported.filter(({ body }) => body.action === 'connect').length;
  const before = connects();
  const [first, second] = [await place('one'), await place('one')];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.json).toEqual(first.json);
  expect(connects()).toBe(before + 1);
  const call = first.json as { id: string; provider_call_id: string };
  expect(call.provider_call_id).toMatch(/^wacid\./);
  expect((await ask(`/v1/msgapp/calls/${call.id}`)).json).toMatchObject({ id: call.id, state: 'ringing' });
  expect((await ask(`/v1/msgapp/calls/${call.id}`, undefined, 'GET', world.theirs)).status).toBe(404);
  const hangUp = () => ask(`/v1/msgapp/calls/${call.id}/hangup`, undefined, 'POST');
  expect((await hangUp()).json).toMatchObject({ state: 'ended', end_reason: 'canceled' });
  expect((await hangUp()).json).toMatchObject({ state: 'ended', end_reason: 'canceled' });
  await vi.waitFor(() => expect(actions(call.provider_call_id)).toEqual([['terminate', 200]]), 10_000);
  const sip = { status: 'ENABLED', servers: [{ hostname: 'sip.example.com', port: 5061 }] };
  const pushed = await ask(`/v1/msgapp/numbers/${id}/calling`, { status: 'DISABLED', sip }, 'PUT');
  expect(pushed.json).toMatchObject({ calling_enabled: false, calling_settings: { sip } });
  const off = await place('two');
  expect([off.status, off.json]).toMatchObject([409, { error: { code: 'calling_disabled' } }]);
  expect(connects()).toBe(before + 1);
}, 90_000);

it('answers the calls of a number whose key was revoked', async ({ skip }) => {
  if (!world.ready) skip('the models are not whole');
  const made = await world.send('/v1/keys', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.ours.session}`, 'content-type': 'application/json' },
    body: JSON.stringify({ environment: 'live', scopes: ['*'] }),
  });
  const maker = { ...world.ours, key: String(made.json?.api_key) };
  const { id, phoneNumberId } = await aNumber(maker);
  const session = { ...world.ours, key: world.ours.session };
  const revoked = await ask(`/v1/keys/${made.json?.id}/revoke`, undefined, 'POST', session);
  expect(revoked.status).toBe(200);
  const { heard, listener } = aPhone();
  const { peer, sdp } = await phone.offer(listener, 60_000);
  heard.peer = peer;
  const about = { id: 'wacid.revoked', from: PERSON, to: '1', direction: 'USER_INITIATED' };
  await deliver(phoneNumberId, {
    calls: [{ ...about, event: 'connect', session: { sdp_type: 'offer', sdp } }],
  });
  await vi.waitFor(() => expect(actions('wacid.revoked')[0]).toEqual(['pre_accept', 200]), 10_000);
  expect(await callsOf(id)).toMatchObject([{ direction: 'inbound', state: 'ringing' }]);
  peer.close();
}, 90_000);
