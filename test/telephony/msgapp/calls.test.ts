// @requirement Messaging apps: A number is registered, its settings pushed and read back, and its secrets never shown.
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
  SECRETS,
  world,
} from './messaging.ts';

// @requirement Messaging apps: The webhook answers `hub.challenge`, checks the signature and answers within 1 s.
it('verifies its address, and takes nothing that nobody registered signs', async () => {
  const { phoneNumberId } = await aNumber();
  const verify = (token: string) =>
    world.send(`/public/msgapp/webhook?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=31337`);
  expect((await verify(SECRETS.verify_token)).text).toBe('31337');
  expect((await verify('wrong')).status).toBe(403);
  expect((await deliver(phoneNumberId, {}, { secret: 'wrong' })).status).toBe(401);
  expect((await deliver('999999', {})).status).toBe(401);
  const began = performance.now();
  expect((await deliver(phoneNumberId, {})).json).toEqual({ received: true });
  expect(performance.now() - began).toBeLessThan(1_000);
});

// @requirement Messaging apps: A number has every field, and errors come in both envelopes.
it('keeps numbers inside their organization, and releases them', async () => {
  const { id } = await aNumber();
  for (const [path, body, method] of [
    [`/v1/msgapp/numbers/${id}`, undefined, 'GET'],
    [`/v1/msgapp/numbers/${id}`, undefined, 'DELETE'],
    [`/v1/msgapp/numbers/${id}/assign`, { agent_id: null }, 'POST'],
    [`/v1/msgapp/numbers/${id}/calling`, { status: 'DISABLED' }, 'PUT'],
    [`/v1/msgapp/numbers/${id}/call-permissions`, { to: `+${PERSON}` }, 'POST'],
  ] as const)
    expect((await ask(path, body, method, world.theirs)).status).toBe(404);
  expect((await ask(`/v1/msgapp/numbers/${id}/assign`, { agent_id: 'agt_nobody' })).json).toMatchObject({
    error: { param: 'agent_id' },
  });
  expect((await ask(`/v1/msgapp/numbers/${id}`, undefined, 'DELETE')).status).toBe(200);
  expect((await ask(`/v1/msgapp/numbers/${id}`)).json).toMatchObject({
    status: 'released',
    calling_enabled: false,
  });
  expect((await ask(`/v1/msgapp/numbers/${id}/assign`, { agent_id: null })).status).toBe(400);
});

// @requirement Messaging apps: `call_hours` have the provider's form.
it('pushes the hours of calls as the provider has them, and shows its no', async () => {
  const { id } = await aNumber();
  const monday = { day_of_week: 'MONDAY', open_time: '0900', close_time: '1700' };
  const push = (open_time: string) => {
    const weekly_operating_hours = [{ ...monday, open_time }];
    const call_hours = { status: 'ENABLED', timezone_id: 'Europe/Madrid', weekly_operating_hours };
    return ask(`/v1/msgapp/numbers/${id}/calling`, { status: 'ENABLED', call_hours }, 'PUT');
  };
  expect((await push('0900')).json).toMatchObject({
    calling_settings: { call_hours: { timezone_id: 'Europe/Madrid', weekly_operating_hours: [monday] } },
  });
  expect((await push('9')).status).toBe(400);
  const refused = await push('1800');
  expect([refused.status, refused.json]).toMatchObject([502, { error: { code: 'provider_refused' } }]);
  expect((await ask(`/v1/msgapp/numbers/${id}`)).json).toMatchObject({
    calling_settings: { call_hours: { weekly_operating_hours: [monday] } },
  });
});

// @requirement Messaging apps: Calls are accepted, rejected and placed by the provider's protocol.
// @requirement Messaging apps: Deliveries that come twice, out of order or to two nodes act once.
it('answers a call with its agent, once, however often it is told of it', async ({ skip }) => {
  if (!world.ready) skip('the models are not whole');
  const { id, phoneNumberId } = await aNumber();
  const { heard, listener } = aPhone();
  const offer = await phone.offer(listener);
  const sdp = offer.sdp.replaceAll(/a=candidate:.*\r?\n/g, '').replace('\r\na=', '\r\na=ice-lite\r\na=');
  const connect = {
    id: 'wacid.in1',
    from: PERSON,
    to: '1',
    event: 'connect',
    direction: 'USER_INITIATED',
    session: { sdp_type: 'offer', sdp },
  };
  await Promise.all([
    deliver(phoneNumberId, { calls: [connect] }),
    deliver(phoneNumberId, { calls: [connect] }),
  ]);
  await vi.waitFor(() => expect(actions('wacid.in1')).toEqual([['pre_accept', 200]]), 15_000);
  offer.peer.answered(reported.find(({ body }) => body.action === 'pre_accept')!.body.session!.sdp);
  await vi.waitFor(
    () =>
      expect(actions('wacid.in1')).toEqual([
        ['pre_accept', 200],
        ['accept', 200],
      ]),
    15_000,
  );
  await vi.waitFor(() => expect(heard.loud).toBeGreaterThan(1_000), 20_000);
  await deliver(phoneNumberId, {
    calls: [{ ...connect, event: 'terminate', status: 'COMPLETED', session: undefined }],
  });
  await vi.waitFor(
    async () =>
      expect(await callsOf(id)).toMatchObject([
        { state: 'ended', end_reason: 'completed', from: `+${PERSON}` },
      ]),
    15_000,
  );
  const [call] = await callsOf(id);
  await vi.waitFor(async () => {
    const record = await ask(`/v1/omni/calls/${String(call?.omni_call_id)}`);
    expect(record.json).toMatchObject({ status: 'completed', external_id: `+${PERSON}` });
  }, 15_000);
}, 90_000);

it('rejects what no agent takes, an offer that is none, and a call that was over first', async () => {
  const { id, phoneNumberId } = await aNumber();
  const connect = {
    id: 'wacid.bad',
    from: PERSON,
    to: '1',
    event: 'connect',
    direction: 'USER_INITIATED',
    session: { sdp_type: 'offer', sdp: 'nonsense' },
  };
  await deliver(phoneNumberId, { calls: [connect] });
  await vi.waitFor(() => expect(actions('wacid.bad')).toEqual([['reject', 200]]), 10_000);
  await ask(`/v1/msgapp/numbers/${id}/assign`, { agent_id: null });
  await deliver(phoneNumberId, { calls: [{ ...connect, id: 'wacid.nobody' }] });
  await vi.waitFor(() => expect(actions('wacid.nobody')).toEqual([['reject', 200]]), 10_000);
  await deliver(phoneNumberId, {
    calls: [{ ...connect, id: 'wacid.late', event: 'terminate', status: 'FAILED' }],
  });
  const reasons = async () => (await callsOf(id)).map(({ end_reason }) => end_reason);
  await vi.waitFor(async () => expect(await reasons()).toEqual(['failed', 'refused', 'failed']), 10_000);
  await deliver(phoneNumberId, { calls: [{ ...connect, id: 'wacid.late' }] });
  expect(await reasons()).toEqual(['failed', 'refused', 'failed']);
  expect(actions('wacid.late')).toEqual([]);
});

// @requirement Messaging apps: A provider that is down, slow or malformed does not lose a call's record.
it('is not put off by a provider that is away for a moment', async () => {
  const { phoneNumberId } = await aNumber();
  const { sdp } = await phone.offer(aPhone().listener);
  const connect = { from: PERSON, to: '1', event: 'connect', direction: 'USER_INITIATED' };
  const ring = (id: string, offer: string) =>
    deliver(phoneNumberId, { calls: [{ ...connect, id, session: { sdp_type: 'offer', sdp: offer } }] });
  const later = async (id: string, action: string) => {
    provider.send({ away: 1 });
    await ring(id, action === 'reject' ? 'nonsense' : sdp);
    const reported = [
      [action, 503],
      [action, 200],
    ];
    await vi.waitFor(() => expect(actions(id)).toEqual(reported), 10_000);
  };
  await later('wacid.away1', 'pre_accept');
  await later('wacid.away2', 'reject');
}, 40_000);

// @requirement Messaging apps: Permission to call is asked for and recorded.
// @requirement Trace: Calls by messaging apps obey the do-not-call list.
it('asks before it calls, and calls who has permitted it', async ({ skip }) => {
  if (!world.ready) skip('the models are not whole');
  const { id, phoneNumberId } = await aNumber();
  const place = () => ask('/v1/msgapp/calls', { number_id: id, to: `+${PERSON}` });
  expect((await place()).json).toMatchObject({ error: { code: 'call_not_permitted' } });
  const permission = () => ask(`/v1/msgapp/numbers/${id}/call-permissions`, { to: `+${PERSON}` });
  expect((await permission()).json).toMatchObject({ status: 'asked', until: null });
  const again = await permission();
  expect([again.status, Number(again.headers.get('retry-after')) > 86_000]).toEqual([429, true]);
  const reply = {
    type: 'call_permission_reply',
    call_permission_reply: { response: 'accept', is_permanent: false },
  };
  await deliver(
    phoneNumberId,
    { messages: [{ from: PERSON, type: 'interactive', interactive: reply }] },
    { field: 'messages' },
  );
  await vi.waitFor(async () => expect((await place()).status).toBe(201), 10_000);
  const [ringing] = await callsOf(id);
  const connected = reported.filter(({ body }) => body.action === 'connect').at(-1)!;
  const { heard, listener } = aPhone();
  const answer = await phone.answer(
    connected.body.session!.sdp.replaceAll(/a=candidate:.*\r?\n/g, ''),
    listener,
  );
  const about = { id: 'wacid.out1', from: '1', to: PERSON, direction: 'BUSINESS_INITIATED' };
  const answered = () =>
    deliver(phoneNumberId, {
      calls: [{ ...about, event: 'connect', session: { sdp_type: 'answer', sdp: answer.sdp } }],
    });
  // The provider delivers webhooks at least once.
  await answered();
  await answered();
  await deliver(phoneNumberId, { statuses: [{ id: 'wacid.out1', type: 'call', status: 'ACCEPTED' }] });
  await vi.waitFor(() => expect(heard.loud).toBeGreaterThan(1_000), 30_000);
  await answered();
  const sofar = heard.loud;
  await vi.waitFor(() => expect(heard.loud).toBeGreaterThan(sofar + 4_000), 30_000);
  expect(heard.ended).toBe(false);
  // The provider is unreachable when the call ends, and is notified later.
  provider.send({ away: 1 });
  answer.peer.close();
  await vi.waitFor(
    async () =>
      expect((await callsOf(id))[0]).toMatchObject({
        id: ringing?.id,
        state: 'ended',
        end_reason: 'completed',
      }),
    15_000,
  );
  const ends = [
    ['terminate', 503],
    ['terminate', 200],
  ];
  await vi.waitFor(() => expect(actions('wacid.out1')).toEqual(ends), 10_000);
  await ask('/v1/trace/suppressions', { phone_number: `+${PERSON}`, reason: 'by letter' });
  expect((await place()).json).toMatchObject({
    error: { code: 'call_not_permitted', message: expect.stringContaining('do-not-call') },
  });
  await ask(`/v1/trace/suppressions?phone_number=%2B${PERSON}`, undefined, 'DELETE');
  provider.send({ permitted: false });
  expect((await place()).json).toMatchObject({ error: { code: 'call_not_permitted' } });
}, 90_000);
