// @requirement Campaigns: A campaign takes 100,000 rows, calling windows, pacing, retries and pause.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { absent, openPhones, type Phones } from './server.ts';

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
    const wanted = { url: 'http://127.0.0.1:9/', events: ['telephony.campaign.done', 'omni.call.ended'] };
    expect((await phones.send('POST', '/v1/integrations/destinations', wanted)).status).toBe(201);
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
    const deliveries = async () =>
      (
        (await phones.send('GET', '/v1/webhooks/deliveries?limit=100')).body.data as { event_type: string }[]
      ).map((one) => one.event_type);
    await expect.poll(deliveries).toContain('omni.call.ended');
    expect((await deliveries()).filter((type) => type === 'telephony.campaign.done')).toHaveLength(1);
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
    // The runner takes campaigns in the order in which they are due: a later one that is done shows that it took this one.
    const later = await create({ targets: [{ to: '+15005550002' }] });
    await phones.send('POST', `/v1/telephony/campaigns/${later}/start`);
    await until(later, ({ state }) => state === 'done');
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
