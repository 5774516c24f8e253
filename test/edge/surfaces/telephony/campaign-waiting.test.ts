import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { absent, openPhones, type Phones } from './server.ts';

const NETWORK = `
numbers:
  '+15005550001': { ring_ms: 50, steps: [ { pause_ms: 100 }, { hang_up: true } ] }
  '+15005550002': { outcome: busy }
  '+12125550123': { outcome: busy }
`;

describe.skipIf(absent)('a campaign that has to wait', () => {
  let phones: Phones;
  let agent: string;
  let own: { id: string; phone_number: string };
  beforeAll(async () => {
    phones = await openPhones(NETWORK, { TRUNKLINE_DIALS_PER_MINUTE: '3' });
    agent = await phones.agent();
    own = await phones.number(agent);
  }, 240_000);
  afterAll(() => phones?.stop());

  const create = async (targets: object[], more: object = {}) => {
    const body = { name: 'Try', from: own.phone_number, agent_id: agent, targets, ...more };
    const made = await phones.send('POST', '/v1/telephony/campaigns', body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body.id as string;
  };
  const at = (id: string, what = '') => `/v1/telephony/campaigns/${id}${what}`;
  const until = async (id: string, when: (now: Awaited<ReturnType<Phones['send']>>['body']) => boolean) => {
    for (;;) {
      const { body } = await phones.send('GET', at(id, '/report'));
      if (when(body)) return body;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const settings = (change: object) =>
    phones.send('PATCH', `/v1/telephony/numbers/${own.id}`, { settings: change });
  const start = (id: string) => phones.send('POST', at(id, '/start'));
  const pause = (id: string) => phones.send('POST', at(id, '/pause'));

  it.each([
    ['quiet_hours', { quiet_hours: { from: '00:00', to: '23:59', time_zone: 'UTC' } }, { quiet_hours: null }],
    ['daily_cap_exceeded', { daily_spend_micros: 0 }, { daily_spend_micros: null }],
  ])(
    'waits for the %s of its number, and goes on',
    async (code, shut, open) => {
      expect((await settings(shut)).status).toBe(200);
      const id = await create([{ to: '+15005550003' }]);
      await start(id);
      const waits = await until(id, ({ waiting_for }) => waiting_for !== null);
      expect(waits).toMatchObject({
        state: 'running',
        waiting_for: code,
        targets: { waiting: 1 },
        attempts: 0,
      });
      await settings(open);
      await pause(id);
      await start(id);
      const done = await until(id, ({ state }) => state === 'done');
      expect(done).toMatchObject({ waiting_for: null, targets: { waiting: 0, done: 1 } });
    },
    60_000,
  );

  it('waits for quiet hours where a target rings, without a call', async () => {
    const gate = { require_consent: false, quiet_hours: { from: '00:00', to: '23:59' }, attempts: null };
    expect((await phones.send('PUT', '/v1/trace/config', { gate })).status).toBe(200);
    const id = await create([{ to: '+12125550123' }]);
    await start(id);
    const path = at(id, '/targets?state=waiting&outcome=quiet_hours');
    let data: object[] = [];
    while (data.length === 0) {
      data = (await phones.send('GET', path)).body.data;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(data).toMatchObject([{ to: '+12125550123', attempts: 0, call_id: null }]);
    expect((await phones.send('GET', `/v1/telephony/calls?campaign_id=${id}`)).body.data).toEqual([]);
    await pause(id);
    await phones.send('PUT', '/v1/trace/config', { gate: { ...gate, quiet_hours: null } });
  }, 60_000);

  it('calls at once whom only its hours held back, when they are dropped', async () => {
    const today = ((new Date().getUTCDay() + 6) % 7) + 1;
    const days = [1, 2, 3, 4, 5, 6, 7].filter((day) => (day - today + 8) % 7 > 2);
    const windows = { days, from: '09:00', to: '09:01', time_zone: 'UTC' };
    const id = await create([{ to: '+15005550002' }], { windows });
    const [{ next_at: first }] = (await phones.send('GET', at(id, '/targets'))).body.data;
    await start(id);
    await expect
      .poll(async () => (await phones.send('GET', at(id, '/targets'))).body.data[0].next_at, {
        timeout: 30_000,
      })
      .toBeGreaterThan(first + 60_000);
    await phones.send('PATCH', at(id), { windows: null });
    const done = await until(id, ({ state }) => state === 'done');
    expect(done).toMatchObject({ attempts: 1, outcomes: { busy: 1 } });
  }, 60_000);

  it('dials no more than the organization may, and the others wait', async () => {
    const targets = Array.from({ length: 9 }, () => ({ to: '+15005550002' }));
    const id = await create(targets, { pacing: { concurrent: 9, calls_per_minute: 300 } });
    await start(id);
    const waits = await until(id, ({ waiting_for }) => waiting_for === 'rate_limit_exceeded');
    expect(waits.targets.done).toBeLessThanOrEqual(3);
    expect(waits).toMatchObject({ state: 'running', targets: { calling: 0 }, attempts: waits.targets.done });
    expect(waits.targets.waiting).toBe(9 - waits.targets.done);
    expect(Object.keys(waits.outcomes).filter((code) => code !== 'busy')).toEqual([]);
    await pause(id);
  }, 90_000);

  it('is listed, exported, changed and removed', async () => {
    const id = await create([
      { to: '+15005550001', variables: { name: 'Ann, "A"' } },
      { to: '+15005550002', variables: { city: 'Rome' } },
      { to: '+15005550008' },
    ]);
    const first = (await phones.send('GET', at(id, '/targets?limit=2'))).body;
    expect(first.data).toMatchObject([
      { object: 'telephony.campaign_target', to: '+15005550001', state: 'waiting', outcome: null },
      { to: '+15005550002', variables: { city: 'Rome' }, attempts: 0, call_id: null },
    ]);
    const next = await phones.send('GET', at(id, `/targets?limit=2&cursor=${first.next_cursor}`));
    expect(next.body).toMatchObject({ data: [{ to: '+15005550008' }], next_cursor: null });
    expect((await phones.send('GET', at(id, '/targets?state=done'))).body.data).toEqual([]);

    const table = await fetch(phones.url + at(id, '/export'), {
      headers: { authorization: phones.authorization },
    });
    expect(table.headers.get('content-type')).toContain('text/csv');
    const [head, ...lines] = (await table.text()).trimEnd().split('\r\n');
    expect(head).toBe('to,state,attempts,outcome,call_id,next_at,name,city');
    expect(lines[0]).toMatch(/^\+15005550001,waiting,0,,,\d+,"Ann, ""A""",$/);
    expect(lines[1]).toMatch(/^\+15005550002,waiting,0,,,\d+,,Rome$/);
    expect(lines).toHaveLength(3);

    const windows = { from: '09:00', to: '20:00' };
    const change = {
      name: 'Later',
      windows,
      pacing: { concurrent: 2 },
      amd: { mode: 'detect' },
      message: 'Hi.',
    };
    const changed = await phones.send('PATCH', at(id), change);
    expect([changed.status, changed.body]).toMatchObject([200, { ...change, from: own.phone_number }]);
    const weekdays = { windows: { days: [1, 2, 3, 4, 5] }, retries: { attempts: 3, after_s: 600 } };
    await phones.send('PATCH', at(id), weekdays);
    const merged = { windows: { from: '10:00' }, retries: { after_s: 60 }, amd: { aggressiveness: 0.5 } };
    expect((await phones.send('PATCH', at(id), merged)).body).toMatchObject({
      windows: { days: [1, 2, 3, 4, 5], from: '10:00', to: '20:00' },
      retries: { attempts: 3, after_s: 60 },
      amd: { mode: 'detect', aggressiveness: 0.5 },
      pacing: { concurrent: 2 },
    });
    const everyDay = (await phones.send('PATCH', at(id), { windows: { days: null } })).body.windows;
    expect(everyDay).toEqual({ from: '10:00', to: '20:00' });
    const shut = await phones.send('PATCH', at(id), { windows: { to: '10:00' } });
    expect([shut.status, shut.body.error.param]).toEqual([400, 'windows.to']);
    const bare = await phones.send('PATCH', at(id), { windows: null, pacing: null, message: null });
    expect(bare.body).toMatchObject({ name: 'Later', windows: null, pacing: {}, message: null });

    await start(id);
    const refused = await phones.send('DELETE', at(id));
    expect([refused.status, refused.body.error.code]).toEqual([409, 'campaign_state']);
    await pause(id);
    const deleted = await phones.send('DELETE', at(id));
    expect(deleted.body).toEqual({ id, object: 'telephony.campaign', deleted: true });
    expect((await phones.send('GET', at(id))).status).toBe(404);
    expect((await phones.send('GET', at(id, '/targets'))).status).toBe(404);
  }, 60_000);

  it.each([
    [{ from: '+14155550199' }, 'from'],
    [{ agent_id: 'agt_00000000000000000000' }, 'agent_id'],
    [{ windows: { from: '09:00', to: '09:00' } }, 'windows.to'],
    [{ windows: { from: '09:00', to: '20:00', time_zone: 'Moon/Base' } }, 'windows.time_zone'],
    [{ windows: { to: '18:00' } }, 'windows.from'],
    [{ retries: { after_s: null } }, 'retries.after_s'],
    [{ amd: { aggressiveness: 0.5 } }, 'amd.mode'],
    [{ message: 'Call us back.' }, 'amd'],
  ])('refuses the change %j', async (change, param) => {
    const id = await create([]);
    const { status, body } = await phones.send('PATCH', at(id), change);
    expect([status, body.error.param]).toEqual([400, param]);
  });
});
