/** Campaigns on the loopback network: who is dialed, how often, and what a killed server leaves. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { acrossBorders, openStorage } from '../../../src/storage/index.ts';
import { lookAgain } from '../../look-again.ts';
import { compileProgram, dataFolder, Running } from '../../running.ts';
import { absent, makeKey, openPhones, type Phones } from './server.ts';

const NETWORK = `
numbers:
  '+15005550001': { ring_ms: 50, steps: [ { pause_ms: 100 }, { hang_up: true } ] }
  '+15005550002': { outcome: busy }
  '+15005550008': { ring_ms: 50, outcome: rejected }
`;

describe.skipIf(absent)('campaigns', () => {
  let phones: Phones;
  let agent: string;
  let from: string;
  beforeAll(async () => {
    phones = await openPhones(NETWORK);
    agent = await phones.agent();
    from = (await phones.number(agent)).phone_number;
  }, 240_000);
  afterAll(() => phones?.stop());

  const create = async (more: object = {}) => {
    const made = await phones.send('POST', '/v1/telephony/campaigns', {
      name: 'Try',
      from,
      agent_id: agent,
      ...more,
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body.id as string;
  };
  const report = async (id: string) =>
    (await phones.send('GET', `/v1/telephony/campaigns/${id}/report`)).body;
  const until = async (id: string, when: (now: Awaited<ReturnType<typeof report>>) => boolean) => {
    for (;;) {
      const now = await report(id);
      if (when(now)) return now;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  it('calls everybody of a list and a file once, asks the gate before each, and reports how it went', async () => {
    await phones.send('POST', '/v1/trace/suppressions', { phone_number: '+15005550003', reason: 'asked' });
    const id = await create({
      targets: [{ to: '+15005550001', variables: { name: 'Alice' } }, { to: '+15005550003' }],
      pacing: { concurrent: 3 },
    });
    const form = new FormData();
    form.set('file', new Blob(['to,name\n+15005550002,Bob\n+15005550008,Eve\n']), 'targets.csv');
    const key = { authorization: phones.authorization };
    const added = await fetch(`${phones.url}/v1/telephony/campaigns/${id}/targets`, {
      method: 'POST',
      headers: key,
      body: form,
    });
    expect(await added.json()).toMatchObject({ added: 2, targets: 4 });
    expect(await report(id)).toMatchObject({ state: 'draft', targets: { waiting: 4 }, attempts: 0 });
    expect((await phones.send('POST', `/v1/telephony/campaigns/${id}/start`)).body.state).toBe('running');
    const ended = await until(id, ({ state }) => state === 'done');
    expect(ended).toMatchObject({
      targets: { waiting: 0, calling: 0, done: 4 },
      attempts: 4,
      outcomes: { completed: 1, suppressed: 1, busy: 1, rejected: 1 },
    });
    const { body } = await phones.send('GET', `/v1/telephony/calls?campaign_id=${id}`);
    expect(body.data).toHaveLength(4);
    const again = await phones.send('POST', `/v1/telephony/campaigns/${id}/start`);
    expect([again.status, again.body.error.code]).toEqual([409, 'campaign_state']);
  }, 60_000);

  it('retries by outcome and no more often than it says, stops while it is paused, and goes on', async () => {
    const targets = [{ to: '+15005550002' }, { to: '+15005550008' }];
    const id = await create({ targets, retries: { attempts: 2, after_s: 60 } });
    await phones.send('POST', `/v1/telephony/campaigns/${id}/start`);
    const waits = await until(id, ({ targets: { waiting, done } }) => waiting === 1 && done === 1);
    expect(waits).toMatchObject({ state: 'running', outcomes: { rejected: 1 }, attempts: 2 });
    expect((await phones.send('POST', `/v1/telephony/campaigns/${id}/pause`)).body.state).toBe('paused');
    expect((await phones.send('POST', `/v1/telephony/campaigns/${id}/start`)).body.state).toBe('running');
    await phones.send('POST', `/v1/telephony/campaigns/${id}/pause`);
  }, 60_000);

  it('calls nobody outside of the windows', async () => {
    const hour = new Date().getUTCHours();
    const shut = (shift: number) => `${String((hour + shift) % 24).padStart(2, '0')}:00`;
    const windows = { from: shut(2), to: shut(3), time_zone: 'UTC' };
    const id = await create({ targets: [{ to: '+15005550001' }], windows });
    await phones.send('POST', `/v1/telephony/campaigns/${id}/start`);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await report(id)).toMatchObject({ state: 'running', targets: { waiting: 1 }, attempts: 0 });
    await phones.send('POST', `/v1/telephony/campaigns/${id}/pause`);
  }, 30_000);

  it.each([
    [{ from: '+14155550199' }, 'from'],
    [{ agent_id: 'agt_00000000000000000000' }, 'agent_id'],
    [{ windows: { from: '9', to: '20:00' } }, 'windows'],
    [{ windows: { from: '09:00', to: '20:00', time_zone: 'Moon/Base' } }, 'windows.time_zone'],
    [{ retries: { attempts: 99, after_s: 60 } }, 'retries'],
    [{ targets: [{ to: 'Bob' }] }, 'targets'],
  ])('refuses %j', async (more, param) => {
    const body = { name: 'Try', from, agent_id: agent, ...more };
    const answer = await phones.send('POST', '/v1/telephony/campaigns', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.param).toContain(param);
  });
});

const READY = /^ready (http:\S+)/;
const SLOW = `
numbers:
  '+15005550001': { ring_ms: 300, steps: [ { pause_ms: 1500 }, { hang_up: true } ] }
  '+15005550002': { ring_ms: 300, outcome: busy }
`;

describe.skipIf(absent)('a server that is killed', () => {
  it('has dialed nobody twice, says of its calls that they were lost, and bills nothing for them', async () => {
    await compileProgram();
    const data = dataFolder();
    const { environment, authorization } = await makeKey(data, SLOW);
    const send = async (url: string, method: string, path: string, body?: unknown) => {
      const headers = {
        authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(url + path, { method, headers, ...sent });
      // biome-ignore lint/suspicious/noExplicitAny: answers of every kind.
      return (await answer.json()) as any;
    };
    const first = new Running(['serve'], environment);
    let url = (await first.line(READY))[1]!;
    const { id: agent } = await send(url, 'POST', '/v1/agents', { name: 'Maya', voice_id: 'joe_en_us' });
    const from = '+14155550100';
    const gate = { require_consent: false, quiet_hours: null, attempts: null };
    await send(url, 'PUT', '/v1/trace/config', { gate });
    await send(url, 'POST', '/v1/telephony/numbers', { phone_number: from });
    const targets = Array.from({ length: 12 }, (_, at) => ({ to: at % 2 ? '+15005550001' : '+15005550002' }));
    const pacing = { concurrent: 4, calls_per_minute: 6000 };
    const body = { name: 'Killed', from, agent_id: agent, targets, pacing };
    const { id } = await send(url, 'POST', '/v1/telephony/campaigns', body);
    await send(url, 'POST', `/v1/telephony/campaigns/${id}/start`);
    const calls = async (more = '') =>
      (await send(url, 'GET', `/v1/telephony/calls?campaign_id=${id}&limit=100${more}`)).data;
    while ((await calls('&state=answered')).length === 0) await lookAgain();
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    await aMinuteLater(data);
    const second = new Running(['serve'], environment);
    url = (await second.line(READY))[1]!;
    for (;;) {
      const { state } = await send(url, 'GET', `/v1/telephony/campaigns/${id}`);
      if (state === 'done') break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const all = await calls();
    expect(all).toHaveLength(targets.length);
    const lost = all.filter((call: { end_detail: string | null }) => /was lost/.test(call.end_detail ?? ''));
    expect(lost.length).toBeGreaterThan(0);
    for (const call of lost) expect(call).toMatchObject({ end_reason: 'failed', billed_minutes: 0 });
    const talked = all.filter((call: { end_reason: string }) => call.end_reason === 'completed').length;
    const { data: usage } = await send(url, 'GET', '/v1/billing/usage');
    const lines = usage.filter((line: { meter: string }) => line.meter === 'telephony');
    const minutes = lines.reduce((sum: number, line: { call_minutes: number }) => sum + line.call_minutes, 0);
    expect(minutes).toBe(talked);
  }, 180_000);
});

/** As if the node that is gone had said so long ago that it lives. */
async function aMinuteLater(dataDir: string): Promise<void> {
  const storage = await openStorage({ dataDir, clock: systemClock });
  await acrossBorders(storage.db)
    .updateTable('telephony_calls')
    .set({ seen_at: Date.now() - 120_000 })
    .where('state', '!=', 'ended')
    .where('dialed_at', 'is not', null)
    .execute();
  await storage.db.updateTable('jobs').set({ lease_until: 0 }).where('state', '=', 'running').execute();
  await storage.close();
}
