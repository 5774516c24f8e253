// @requirement Imported calls: An imported recording reaches Hear, Recap and Trace.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { until } from '../../poll.ts';

const SAID = 'Hello, this is the clinic. Please call us back about your appointment. Thank you, goodbye.';
/** It is three in the morning where the customer is. */
const AT_NIGHT = Date.parse('2026-11-20T08:00:00Z') / 1000;
const CUSTOMER = '+12125550123';
const CALL = {
  id: 'call-17',
  direction: 'outbound',
  from: '+14155550100',
  to: CUSTOMER,
  started_at: AT_NIGHT,
  ended_at: AT_NIGHT + 60,
};

let world: World;
let sound: Uint8Array = new Uint8Array();
let fetched = 0;
const recordings = createServer((_request, response) => {
  fetched += 1;
  response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(sound);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => recordings.listen(0, '127.0.0.1', resolve));
  world = await World.open({ settings: { TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true' } });
}, 120_000);
afterAll(async () => {
  await world?.stop();
  recordings.close();
});

it('is fetched and transcribed once, then has a record and a verdict', async ({ skip }) => {
  if (!world.ready) skip('the models are not whole');
  const minted = await world.send('/v1/sandbox/keys', { method: 'POST' });
  const headers = {
    authorization: `Bearer ${String(minted.json?.api_key)}`,
    'content-type': 'application/json',
  };
  const send = (method: string, path: string, body?: unknown) =>
    world.send(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const listed = async (path: string) => (await send('GET', path)).json?.data as Record<string, unknown>[];
  const speech = await send('POST', '/v1/audio/speech', { model: 'svc-speak', voice: 'en1', input: SAID });
  sound = Buffer.from(speech.text, 'latin1');
  expect((await send('PUT', '/v1/recap/config', { enabled: true })).status).toBe(200);
  const packs = { enabled: true, rule_packs: [{ id: 'TCPA' }] };
  expect((await send('PUT', '/v1/trace/config', packs)).status).toBe(200);
  const token = (await send('POST', '/v1/integrations/calls/generic/token')).json?.token;
  const recording_url = `http://127.0.0.1:${(recordings.address() as AddressInfo).port}/call-17.mp3`;
  const reported = async (event: string, data: object) => {
    const body = { event, timestamp: Date.now() / 1000, token, data };
    const path = '/public/integrations/calls/generic/events';
    const sent = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    return (await world.send(path, sent)).status;
  };
  for (let again = 0; again < 2; again += 1) {
    expect(await reported('call.comm_assets_generated', { id: CALL.id, recording_url })).toBe(202);
    expect(await reported('call.ended', CALL)).toBe(202);
  }
  const about = `external_id=${encodeURIComponent(CUSTOMER)}`;
  await until(async () => (await listed(`/v1/recap/calls?${about}`)).length > 0);
  await until(async () => (await listed('/v1/trace/interactions')).length > 0);
  const [call, ...none] = await listed('/v1/integrations/calls');
  expect([call?.status, call?.from, none]).toEqual(['submitted', CALL.from, []]);
  const jobs = await listed('/v1/transcription/jobs');
  expect(jobs).toMatchObject([{ id: call?.job_id, status: 'completed' }]);
  expect(fetched).toBe(1);
  const [record, ...noMore] = await listed(`/v1/recap/calls?${about}`);
  expect(noMore).toEqual([]);
  expect(record).toMatchObject({ source: { kind: 'job', id: call?.job_id } });
  const [interaction] = await listed('/v1/trace/interactions');
  expect(interaction).toMatchObject({ source: { kind: 'job', id: call?.job_id } });
  const whole = (await send('GET', `/v1/trace/interactions/${String(interaction?.id)}`)).json;
  expect(whole).toMatchObject({ verdict: 'violations' });
  expect(JSON.stringify(whole?.violations)).toContain('quiet-hours');
}, 180_000);
