// @requirement Messaging apps: The webhook answers `hub.challenge`, checks the signature and answers within 1 s.
// @requirement Messaging apps: A thousand half-open calls are bounded.
// @requirement Messaging apps: A session description of 1 MB is refused.
import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WebRtcService } from '../../../src/telephony/webrtc/index.ts';
import { World } from '../../contract/world.ts';
import { until } from '../../poll.ts';
import { compileProgram } from '../../running-server.ts';
import { makeNode } from '../webrtc/nodes.ts';

const SECRETS = { access_token: 'token', app_secret: 'secret', verify_token: 'verify' };
const CALLS = 1_000;
const MOST_OPENING = 64;

let provider: ChildProcess;
let world: World;
let phone: WebRtcService;
const reported: { action: string; callId: string }[] = [];

beforeAll(async () => {
  await compileProgram();
  provider = fork(join(import.meta.dirname, 'provider.mjs'), [SECRETS.access_token], { execArgv: [] });
  const [{ port }] = (await once(provider, 'message')) as [{ port: number }];
  provider.on('message', ({ body }: { body: { action?: string; call_id?: string } }) => {
    if (body.action !== undefined) reported.push({ action: body.action, callId: body.call_id ?? '' });
  });
  world = await World.open({
    settings: {
      TRUNKLINE_MSGAPP_URL: `http://127.0.0.1:${port}/v23.0`,
      TRUNKLINE_WEBRTC_ADDRESS: '127.0.0.1',
      TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
    },
  });
  phone = makeNode({ ports: { first: 33_000, last: 33_099 }, connectWithinMs: 300_000 });
}, 240_000);
afterAll(async () => {
  await phone?.stop();
  await world?.stop();
  provider?.kill();
});

const ask = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  return await world.send(path, {
    method,
    headers: { authorization: `Bearer ${world.ours.key}`, ...json },
    ...sent,
  });
};

async function deliver(calls: readonly object[]) {
  const value = { metadata: { phone_number_id: '1001' }, calls };
  const body = JSON.stringify({ entry: [{ changes: [{ field: 'calls', value }] }] });
  const signature = `sha256=${createHmac('sha256', SECRETS.app_secret).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
  return await world.send('/public/msgapp/webhook', { method: 'POST', headers, body });
}

const ringing = (id: string, sdp: string) => ({
  id,
  from: '15550001111',
  to: '1',
  event: 'connect',
  direction: 'USER_INITIATED',
  session: { sdp_type: 'offer', sdp },
});
const actionsOf = (prefix: string) => reported.filter(({ callId }) => callId.startsWith(prefix));
const count = (prefix: string, action: string) =>
  actionsOf(prefix).filter((one) => one.action === action).length;

it('bounds a thousand half-open calls, closes each, and takes calls again', async () => {
  const about = { waba_id: '7', app_id: '8', phone_number_id: '1001', phone_number: '+15551001000' };
  const id = String((await ask('/v1/msgapp/numbers', { ...about, ...SECRETS })).json?.id);
  const agent = await ask('/v1/agents', { name: 'shop', voice_id: 'joe_en_us' });
  await ask(`/v1/msgapp/numbers/${id}/assign`, { agent_id: agent.json?.id });
  await ask(`/v1/msgapp/numbers/${id}/calling`, { status: 'ENABLED' }, 'PUT');
  const nobody = { connected: () => undefined, audio: () => undefined, ended: () => undefined };
  const { sdp } = await phone.offer(nobody);
  for (let at = 0; at < CALLS; at += 50) {
    const calls = Array.from({ length: 50 }, (_, n) => ringing(`wacid.h${at + n}.`, sdp));
    const began = performance.now();
    expect((await deliver(calls)).status).toBe(200);
    // The provider waits at most a second for the answer to a webhook.
    expect(performance.now() - began).toBeLessThan(1_000);
  }
  const begun = () => new Set(actionsOf('wacid.h').map(({ callId }) => callId)).size;
  await until(() => begun() === CALLS);
  const taken = count('wacid.h', 'pre_accept');
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThanOrEqual(MOST_OPENING);
  expect(count('wacid.h', 'reject')).toBe(CALLS - taken);
  expect((await ask('/v1/me')).status).toBe(200);
  await until(() => count('wacid.h', 'terminate') === taken);
  expect(count('wacid.h', 'accept')).toBe(0);
  const states = new Map<string, number>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const { json }: { json: Record<string, unknown> | undefined } = await ask(
      `/v1/msgapp/calls?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    for (const call of (json?.data ?? []) as { state: string; end_reason: string }[]) {
      const key = `${call.state} ${call.end_reason}`;
      states.set(key, (states.get(key) ?? 0) + 1);
    }
    cursor = (json?.next_cursor as string | null | undefined) ?? null;
  }
  expect(Object.fromEntries(states)).toEqual({ 'ended failed': taken, 'ended refused': CALLS - taken });
  await deliver([ringing('wacid.again', sdp)]);
  await until(() => count('wacid.again', 'pre_accept') === 1);
}, 180_000);

it('takes no offer of a megabyte: neither the delivery, nor one that fits into it', async () => {
  const large = (bytes: number) => `v=0\r\na=${'x'.repeat(bytes)}\r\n`;
  expect((await deliver([ringing('wacid.large', large(1_048_576))])).status).toBe(413);
  expect((await deliver([ringing('wacid.fits', large(1_000_000))])).status).toBe(200);
  await until(() => count('wacid.fits', 'reject') === 1);
  expect(actionsOf('wacid.large')).toEqual([]);
  const [call] = ((await ask('/v1/msgapp/calls?limit=1')).json?.data ?? []) as Record<string, unknown>[];
  expect(call).toMatchObject({ state: 'ended', end_reason: 'failed' });
  expect(String(call?.error)).toContain('65536 bytes');
}, 60_000);
