/** A server that is killed while it rings a person by a messaging app. */
import { fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { CallRecords, LostCalls } from '../../src/msgapp/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { acrossBorders, openStorage } from '../../src/storage/index.ts';
import { until } from '../look-again.ts';
import { compileProgram, dataFolder, Running } from '../running.ts';

const SECRETS = { access_token: 'token', app_secret: 'secret', verify_token: 'verify' };
const PERSON = '15550001111';

beforeAll(compileProgram, 180_000);

it('leaves a call that ends a minute later, when it was last known to ring', async () => {
  const provider = fork(join(import.meta.dirname, 'provider.mjs'), [SECRETS.access_token], { execArgv: [] });
  onTestFinished(() => void provider.kill());
  const [{ port }] = (await once(provider, 'message')) as [{ port: number }];
  const dataDir = dataFolder();
  const server = new Running(['serve'], {
    TRUNKLINE_DATA: dataDir,
    TRUNKLINE_MSGAPP_URL: `http://127.0.0.1:${port}/v23.0`,
    TRUNKLINE_WEBRTC_ADDRESS: '127.0.0.1',
  });
  const [, url] = await server.line(/^ready (http:\S+)/);
  const json = { 'content-type': 'application/json' };
  const minted = (await (await fetch(`${url}/v1/sandbox/keys`, { method: 'POST' })).json()) as {
    api_key: string;
  };
  const ask = async (path: string, body: unknown) => {
    const headers = { ...json, authorization: `Bearer ${minted.api_key}` };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  };
  const about = { waba_id: '7', app_id: '8', phone_number_id: '1001', phone_number: '+15551001000' };
  const number = (await ask('/v1/msgapp/numbers', { ...about, ...SECRETS })).json.id;
  const agent = await ask('/v1/agents', { name: 'shop', voice_id: 'joe_en_us' });
  await ask(`/v1/msgapp/numbers/${String(number)}/assign`, { agent_id: agent.json.id });
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
  let ahead = 0;
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  const storage = await openStorage({ dataDir, clock });
  onTestFinished(() => storage.close());
  const all = () => acrossBorders(storage.db).selectFrom('msgapp_calls').selectAll().execute();
  /** The server as it starts again. */
  const starts = async () => {
    const faults: unknown[] = [];
    const lost = new LostCalls(clock, new CallRecords(storage, clock), () => []);
    lost.start((error) => faults.push(error));
    await lost.stop();
    expect(faults).toEqual([]);
  };
  await starts();
  expect(await all()).toMatchObject([{ id, state: 'ringing' }]);
  ahead = 80_000;
  await starts();
  await starts();
  const [call, ...more] = await all();
  expect(more).toEqual([]);
  expect(call).toMatchObject({ id, state: 'ended', end_reason: 'failed', answered_at: null });
  expect(Number(call?.ended_at)).toBeLessThanOrEqual(killedAt);
}, 120_000);
