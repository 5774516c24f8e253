import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../contract/world.ts';
import { absent } from '../edge/surfaces/telephony/server.ts';
import { pollDelay } from '../poll.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every kind.
type Json = any;

const PERSON = '+15005550001';
const NETWORK = `
numbers:
  '${PERSON}': { ring_ms: 50, steps: [ { pause_ms: 300 }, { hang_up: true } ] }
`;
const WITHIN_MS = 60_000;

describe.skipIf(absent)('what a key made, once it is revoked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'outlives-'));
  const reported: Json[] = [];
  let world: World;
  let receiver: Server;
  let hook: string;
  let maker: { id: string; text: string };
  let agent: string;
  let destination: Json;
  let subscription: Json;
  let number: Json;
  let campaign: Json;
  let planned: Json;
  let token: Json;
  let base: Json;
  let job: Json;

  const send = async (key: string, method: string, path: string, body?: unknown) => {
    const form = body instanceof FormData;
    const answer = await world.send(path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, body: answer.json as Json };
  };
  const made = async (path: string, body: unknown, method = 'POST') => {
    const answer = await send(maker.text, method, path, body);
    expect([200, 201, 202], JSON.stringify(answer.body)).toContain(answer.status);
    return answer.body;
  };
  const read = async (path: string) => (await send(world.ours.key, 'GET', path)).body;
  const other = async (method: string, path: string, body?: unknown) => {
    const answer = await send(world.ours.key, method, path, body);
    expect([200, 201, 202], JSON.stringify(answer.body)).toContain(answer.status);
    return answer.body;
  };
  const until = async (path: string, when: (now: Json) => boolean) => {
    const end = Date.now() + WITHIN_MS;
    for (;;) {
      const now = await read(path);
      if (when(now)) return now;
      if (Date.now() > end) throw new Error(`${path} stays ${JSON.stringify(now)}`);
      await pollDelay();
    }
  };

  beforeAll(async () => {
    const file = join(folder, 'network.yaml');
    writeFileSync(file, NETWORK);
    receiver = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part) => parts.push(part));
      request.on('end', () => {
        reported.push({ path: request.url, ...JSON.parse(Buffer.concat(parts).toString()) });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    hook = `http://127.0.0.1:${(receiver.address() as { port: number }).port}`;
    const settings = { TRUNKLINE_LOOPBACK_NETWORK: file, TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true' };
    world = await World.open({ settings });
    const key = await send(world.ours.session, 'POST', '/v1/keys', { environment: 'live', scopes: ['*'] });
    maker = { id: key.body.id, text: key.body.api_key };
    await made(
      '/v1/trace/config',
      { gate: { require_consent: false, quiet_hours: null, attempts: null } },
      'PUT',
    );
    agent = (await made('/v1/agents', { name: 'Maya', builtin_tools: ['send_message'] })).id;
    const free = await read('/v1/telephony/available-numbers?country=US&limit=1');
    const phone_number = free.data[0].phone_number;
    number = await made('/v1/telephony/numbers', { phone_number, agent_id: agent });
    const parties = { from: phone_number, agent_id: agent };
    campaign = await made('/v1/telephony/campaigns', { name: 'All', ...parties, targets: [{ to: PERSON }] });
    const schedule_at = Date.now() + 15_000;
    planned = await made('/v1/telephony/calls', { ...parties, to: PERSON, schedule_at });
    destination = await made('/v1/integrations/destinations', {
      url: `${hook}/destination`,
      events: ['telephony.call.ended'],
    });
    subscription = await made('/v1/integrations/zapier/hooks', {
      target_url: `${hook}/hook`,
      event: 'telephony.call.ended',
    });
    token = await made('/v1/integrations/calls/generic/token', undefined);
    base = await made('/v1/knowledgebases', { name: 'Hours' });
    await made(`/v1/knowledgebases/${base.id}/documents`, {
      title: 'Hours',
      text: 'The workshop opens at nine in the morning.',
    });
    await made(
      '/v1/hear/vocabulary',
      { terms: [{ term: 'Trunkline' }], batch: { active: true }, streaming: { active: true } },
      'PUT',
    );
    const speech = await world.send('/v1/audio/speech', {
      method: 'POST',
      headers: { authorization: `Bearer ${maker.text}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'svc-speak',
        input: 'Good morning.',
        response_format: 'wav',
        stream: false,
      }),
    });
    const form = new FormData();
    form.set('file', new Blob([Buffer.from(speech.text, 'latin1')]), 'speech.wav');
    job = await made('/v1/transcription/jobs', form);
    const revoked = await send(world.ours.session, 'POST', `/v1/keys/${maker.id}/revoke`);
    expect(revoked.status).toBe(200);
    expect((await send(maker.text, 'GET', '/v1/me')).status).toBe(401);
  }, 240_000);
  afterAll(async () => {
    await world?.stop();
    await new Promise((resolve) => receiver?.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  it('says who made it, and no more', async () => {
    const by = { kind: 'key', id: maker.id };
    expect(number.created_by).toEqual(by);
    expect(await read(`/v1/telephony/numbers/${number.id}`)).toMatchObject({
      status: 'active',
      created_by: by,
    });
    expect(await read(`/v1/telephony/campaigns/${campaign.id}`)).toMatchObject({ created_by: by });
    expect(await read(`/v1/telephony/calls/${planned.id}`)).toMatchObject({ created_by: by });
    expect(await read(`/v1/agents/${agent}`)).toMatchObject({ created_by: by });
    expect(subscription).toMatchObject({ created_by: by });
    const destinations = '/v1/integrations/destinations';
    expect(await read(`${destinations}/${destination.id}`)).toMatchObject({ created_by: by });
    const person = await send(world.ours.session, 'POST', `${destinations}?environment=live`, {
      url: `${hook}/unused`,
      events: ['cast.render.completed'],
    });
    expect(person.body.created_by).toEqual({ kind: 'user', id: expect.stringMatching(/^usr_/) });
  });

  it('a number takes its calls, and who hooked onto them is told', async () => {
    await other('POST', '/v1/telephony/trial-calls', {
      to: number.phone_number,
      from: PERSON,
      caller: { steps: [{ pause_ms: 300 }, { hang_up: true }] },
    });
    const list = '/v1/telephony/calls?direction=inbound';
    const { data } = await until(list, ({ data: calls }) => calls[0]?.state === 'ended');
    expect(data).toMatchObject([{ end_reason: 'completed', created_by: null }]);
    expect(data[0].answered_at).not.toBeNull();
    const tellers = () => reported.filter((one) => one.data.id === data[0].id).map(({ path }) => path);
    const end = Date.now() + WITHIN_MS;
    while (tellers().length < 2 && Date.now() < end) await pollDelay();
    expect(tellers().sort()).toEqual(['/destination', '/hook']);
  }, 90_000);

  it('a campaign dials, and a planned call is dialed when its time comes', async () => {
    await other('POST', `/v1/telephony/campaigns/${campaign.id}/start`);
    const done = await until(
      `/v1/telephony/campaigns/${campaign.id}/report`,
      ({ state }) => state !== 'running',
    );
    expect(done).toMatchObject({ state: 'done', outcomes: { completed: 1 } });
    expect(await until(`/v1/telephony/calls/${planned.id}`, ({ state }) => state === 'ended')).toMatchObject({
      end_reason: 'completed',
    });
  }, 150_000);

  it('an agent answers what people write', async () => {
    await other('POST', '/v1/messages', { from: number.phone_number, to: PERSON, body: 'We are open.' });
    const sent = await until('/v1/messages?direction=outbound', ({ data }) => data.length > 1);
    expect(sent.data[0]).toMatchObject({ from: number.phone_number, to: PERSON });
  }, 90_000);

  it('a provider’s token brings calls, and a job that waited is done', async () => {
    const data = {
      id: 'call-1',
      started_at: Date.now() - 60_000,
      ended_at: Date.now(),
      direction: 'inbound',
      from: PERSON,
      to: number.phone_number,
    };
    const event = { event: 'call.ended', timestamp: Date.now(), token: token.token, data };
    const brought = await world.send('/public/integrations/calls/generic/events', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    });
    expect(brought.status, brought.text).toBeLessThan(300);
    const ended = await until(`/v1/transcription/jobs/${job.id}`, ({ status }) =>
      /completed|failed/.test(status),
    );
    expect(ended).toMatchObject({ status: 'completed' });
  }, 90_000);

  it('knowledge and vocabulary are the project’s', async () => {
    const document = `/v1/knowledgebases/${base.id}/documents`;
    await until(document, ({ data }) => data[0]?.status === 'indexed');
    const { passages } = await other('POST', `/v1/knowledgebases/${base.id}/query`, { query: 'when open?' });
    expect(JSON.stringify(passages)).toContain('nine in the morning');
    expect(await read('/v1/hear/vocabulary')).toMatchObject({ terms: [{ term: 'Trunkline' }] });
  }, 90_000);

  it('a campaign that cannot go on says why', async () => {
    const parties = { from: number.phone_number, agent_id: agent };
    const one = await other('POST', '/v1/telephony/campaigns', {
      name: 'None',
      ...parties,
      targets: [{ to: PERSON }],
    });
    expect(one.paused_reason).toBeNull();
    await other('DELETE', `/v1/agents/${agent}`);
    await other('POST', `/v1/telephony/campaigns/${one.id}/start`);
    const paused = await until(`/v1/telephony/campaigns/${one.id}`, ({ state }) => state === 'paused');
    expect(paused.paused_reason).toBe('agent_deleted');
  }, 90_000);
});
