/** Calls by a messaging app: the whole server, the provider in a process of its own, and a person's telephone by WebRTC. */
import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Peer, WebRtc } from '../../src/webrtc/index.ts';
import { type Tenant, World } from '../contract/world.ts';
import { compileProgram } from '../running.ts';
import { makeNode } from '../webrtc/nodes.ts';

interface Told {
  readonly what: string;
  readonly body: { action?: string; call_id?: string; session?: { sdp: string }; interactive?: object };
  readonly status: number;
}

const SECRETS = {
  access_token: 'token-of-the-app',
  app_secret: 'secret-of-the-app',
  verify_token: 'verify-me',
};
const PERSON = '15550001111';
const told: Told[] = [];
let provider: ChildProcess;
let world: World;
let phone: WebRtc;

beforeAll(async () => {
  await compileProgram();
  provider = fork(join(import.meta.dirname, 'provider.mjs'), [SECRETS.access_token], { execArgv: [] });
  const port = await new Promise<number>((resolve) =>
    provider.once('message', (message) => resolve((message as { port: number }).port)),
  );
  provider.on('message', (message) => told.push(message as Told));
  world = await World.open({
    settings: {
      TRUNKLINE_MSGAPP_URL: `http://127.0.0.1:${port}/v23.0`,
      TRUNKLINE_WEBRTC_ADDRESS: '127.0.0.1',
      TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
    },
  });
  phone = makeNode({ ports: { first: 34_000, last: 34_999 }, connectWithinMs: 60_000 });
}, 240_000);
afterAll(async () => {
  await phone?.stop();
  await world?.stop();
  provider?.kill();
});

const ask = (
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
  tenant: Tenant = world.ours,
) =>
  world.send(path, {
    method,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

let numbers = 0;
/** A number with an agent that answers, as the provider knows it. */
async function aNumber(): Promise<{ id: string; phoneNumberId: string }> {
  const phoneNumberId = String(1_000 + ++numbers);
  const made = await ask('/v1/msgapp/numbers', {
    waba_id: '7',
    app_id: '8',
    phone_number_id: phoneNumberId,
    phone_number: `+1555${phoneNumberId}000`,
    ...SECRETS,
  });
  expect(made.status).toBe(201);
  for (const secret of Object.values(SECRETS)) expect(made.text).not.toContain(secret);
  const id = String(made.json?.id);
  const agent = await ask('/v1/agents', {
    name: 'shop',
    greeting: 'Hello, this is the shop. We are open all day.',
    voice_id: 'joe_en_us',
  });
  expect((await ask(`/v1/msgapp/numbers/${id}/assign`, { agent_id: agent.json?.id })).json).toMatchObject({
    agent_id: agent.json?.id,
  });
  const enabled = await ask(`/v1/msgapp/numbers/${id}/calling`, { status: 'ENABLED' }, 'PUT');
  expect(enabled.json).toMatchObject({
    calling_enabled: true,
    calling_settings: { call_icon_visibility: 'DEFAULT' },
  });
  return { id, phoneNumberId };
}

function deliver(
  phoneNumberId: string,
  value: object,
  { field = 'calls', secret = SECRETS.app_secret } = {},
) {
  const metadata = { phone_number_id: phoneNumberId, display_phone_number: '1' };
  const change = { field, value: { messaging_product: 'whatsapp', metadata, ...value } };
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ changes: [change] }] });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
  return world.send('/public/msgapp/webhook', { method: 'POST', headers, body });
}

async function callsOf(id: string): Promise<Record<string, unknown>[]> {
  const list = (await ask('/v1/msgapp/calls?limit=100')).json?.data as Record<string, unknown>[] | undefined;
  return (list ?? []).filter(({ number_id }) => number_id === id);
}
const actions = (callId: string) =>
  told.filter(({ body }) => body.call_id === callId).map(({ body, status }) => [body.action, status]);

/** What the person hears, and their side of the connection. */
function aPhone() {
  const heard = { loud: 0, ended: false, peer: null as Peer | null };
  const listener = {
    connected: () => undefined,
    audio: (pcm: Uint8Array) => {
      const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
      for (let at = 0; at < pcm.length; at += 2)
        if (Math.abs(view.getInt16(at, true)) > 1_000) heard.loud += 1;
    },
    ended: () => {
      heard.ended = true;
    },
  };
  return { heard, listener };
}

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

it('answers a call with its agent, once, however often it is told of it', async ({ skip }) => {
  if (!world.ready) skip('the models are not whole');
  const { id, phoneNumberId } = await aNumber();
  const { heard, listener } = aPhone();
  const offer = await phone.offer(listener);
  // As the provider's: it waits to be found.
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
  offer.peer.answered(told.find(({ body }) => body.action === 'pre_accept')!.body.session!.sdp);
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
  await vi.waitFor(async () => expect(await callsOf(id)).toHaveLength(3), 10_000);
  await deliver(phoneNumberId, { calls: [{ ...connect, id: 'wacid.late' }] });
  expect((await callsOf(id)).map(({ end_reason }) => end_reason)).toEqual(['failed', 'refused', 'failed']);
  expect(actions('wacid.late')).toEqual([]);
});

it('is not put off by a provider that is away for a moment', async () => {
  const { phoneNumberId } = await aNumber();
  const { sdp } = await phone.offer(aPhone().listener);
  const connect = { from: PERSON, to: '1', event: 'connect', direction: 'USER_INITIATED' };
  const ring = (id: string, offer: string) =>
    deliver(phoneNumberId, { calls: [{ ...connect, id, session: { sdp_type: 'offer', sdp: offer } }] });
  const later = async (id: string, action: string) => {
    provider.send({ away: 1 });
    await ring(id, action === 'reject' ? 'nonsense' : sdp);
    const told = [
      [action, 503],
      [action, 200],
    ];
    await vi.waitFor(() => expect(actions(id)).toEqual(told), 10_000);
  };
  await later('wacid.away1', 'pre_accept');
  await later('wacid.away2', 'reject');
}, 40_000);

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
  const connected = told.filter(({ body }) => body.action === 'connect').at(-1)!;
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
  // Webhooks come at least once.
  await answered();
  await answered();
  await deliver(phoneNumberId, { statuses: [{ id: 'wacid.out1', type: 'call', status: 'ACCEPTED' }] });
  await vi.waitFor(() => expect(heard.loud).toBeGreaterThan(1_000), 30_000);
  await answered();
  const sofar = heard.loud;
  await vi.waitFor(() => expect(heard.loud).toBeGreaterThan(sofar + 4_000), 30_000);
  expect(heard.ended).toBe(false);
  // The provider is away when the call ends, and is told later.
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
