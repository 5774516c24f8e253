// @requirement Messaging apps: A call whose server was killed is recorded, and the provider is told.
import { fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { acrossTenants, openStorage } from '../../../src/foundation/storage/index.ts';
import { until } from '../../poll.ts';
import { compileProgram, dataFolder, Running } from '../../running-server.ts';

const SECRETS = { access_token: 'token', app_secret: 'secret', verify_token: 'verify' };
const PERSON = '15550001111';

beforeAll(compileProgram, 180_000);

it('leaves a call that the next one ends a minute later, at the provider too, as of when it was last known to ring', async () => {
  const provider = fork(join(import.meta.dirname, 'provider.mjs'), [SECRETS.access_token], { execArgv: [] });
  onTestFinished(() => void provider.kill());
  const [{ port }] = (await once(provider, 'message')) as [{ port: number }];
  const dataDir = dataFolder();
  const settings = {
    TRUNKLINE_DATA: dataDir,
    TRUNKLINE_MSGAPP_URL: `http://127.0.0.1:${port}/v23.0`,
    TRUNKLINE_WEBRTC_ADDRESS: '127.0.0.1',
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
  };
  const reported: { what: string; body: Record<string, unknown> }[] = [];
  provider.on('message', (message) => reported.push(message as (typeof reported)[number]));
  const server = new Running(['serve'], settings);
  const [, url] = await server.line(/^ready (http:\S+)/);
  const json = { 'content-type': 'application/json' };
  const minted = (await (await fetch(`${url}/v1/sandbox/keys`, { method: 'POST' })).json()) as {
    api_key: string;
  };
  const ask = async (path: string, body: unknown, method = 'POST') => {
    const headers = { ...json, authorization: `Bearer ${minted.api_key}` };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  };
  const about = { waba_id: '7', app_id: '8', phone_number_id: '1001', phone_number: '+15551001000' };
  const number = (await ask('/v1/msgapp/numbers', { ...about, ...SECRETS })).json.id;
  const agent = await ask('/v1/agents', { name: 'shop', voice_id: 'joe_en_us' });
  await ask(`/v1/msgapp/numbers/${String(number)}/assign`, { agent_id: agent.json.id });
  await ask(`/v1/msgapp/numbers/${String(number)}/calling`, { status: 'ENABLED' }, 'PUT');
  const reply = { type: 'call_permission_reply', call_permission_reply: { response: 'accept' } };
  const value = {
    metadata: { phone_number_id: '1001' },
    messages: [{ from: PERSON, type: 'interactive', interactive: reply }],
  };
  const body = JSON.stringify({ entry: [{ changes: [{ field: 'messages', value }] }] });
  const signature = `sha256=${createHmac('sha256', SECRETS.app_secret).update(body).digest('hex')}`;
  const headers = { ...json, 'x-hub-signature-256': signature };
  await fetch(`${url}/public/msgapp/webhook`, { method: 'POST', headers, body });
  let id: unknown;
  await until(async () => {
    const placed = await ask('/v1/msgapp/calls', { number_id: number, to: `+${PERSON}` });
    id = placed.json.id;
    return placed.status === 201;
  });
  server.child.kill('SIGKILL');
  await server.code();
  const killedAt = Date.now();
  const ends = () => reported.filter(({ what, body }) => what === 'calls' && body.action === 'terminate');
  const open = () => openStorage({ dataDir, clock: systemClock });
  const storage = await open();
  const left = acrossTenants(storage.db).selectFrom('msgapp_calls').selectAll();
  expect(await left.execute()).toMatchObject([{ id, state: 'ringing' }]);
  await storage.db
    .updateTable('nodes')
    .set((eb) => ({ seen_at: eb('seen_at', '-', 61_000) }))
    .execute();
  await storage.close();
  expect(ends()).toEqual([]);
  const again = new Running(['serve'], settings);
  await again.line(/^ready (http:\S+)/);
  await until(() => ends().length > 0);
  again.child.kill('SIGTERM');
  expect(await again.code()).toBe(0);
  const after = await open();
  onTestFinished(() => after.close());
  const [call, ...more] = await acrossTenants(after.db).selectFrom('msgapp_calls').selectAll().execute();
  expect(more).toEqual([]);
  expect(call).toMatchObject({ id, state: 'ended', end_reason: 'failed', answered_at: null });
  expect(Number(call?.ended_at)).toBeLessThanOrEqual(killedAt);
  expect(ends().map(({ body }) => body)).toEqual([
    { messaging_product: 'whatsapp', call_id: call?.provider_call_id, action: 'terminate' },
  ]);
}, 120_000);
