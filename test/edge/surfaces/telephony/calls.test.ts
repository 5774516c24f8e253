// @requirement Carriers: The `loopback` carrier simulates numbers, loss, jitter and scenarios.
// @requirement Telephony: Calls have states, reasons, variables, idempotency and a schedule.
// @requirement Telephony: An outbound call detects machines, leaves a message and redials.
// @requirement Transfers: Warm, three-way and cold transfers work, also when nobody accepts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itLong } from '../../../long-tests.ts';
import { pollDelay } from '../../../poll.ts';
import { absent, openPhones, type Phones } from './server.ts';

const NETWORK = `
numbers:
  '+15005550001':
    ring_ms: 100
    steps: [ { listen: { silence_ms: 1500 } }, { say: 'Thank you, goodbye.' }, { hang_up: true } ]
  '+15005550002': { outcome: busy }
  '+15005550004':
    ring_ms: 100
    steps:
      - pause_ms: 300
      - say: 'Hi, you have reached the voicemail of Sam. Please leave a message after the tone.'
      - pause_ms: 400
      - tone: { hertz: [1000], ms: 400 }
      - listen: { silence_ms: 3000, most_ms: 20000 }
      - hang_up: true
  '+15005550006': { ring_ms: 100, steps: [ { pause_ms: 300 }, { tone: { hertz: [2100], ms: 5000 } }, { pause_ms: 20000 } ] }
  '+15005550008': { ring_ms: 100, outcome: rejected }
  '+15005550020': { ring_ms: 100, steps: [ { pause_ms: 200 }, { press: '1' }, { pause_ms: 2500 }, { hang_up: true } ] }
  '+15005550022':
    ring_ms: 100
    steps: [ { listen: { silence_ms: 1500 } }, { say: 'I will call my lawyer about this.' }, { listen: { silence_ms: 1500, most_ms: 8000 } }, { hang_up: true } ]
  '+15005550021': { ring_ms: 100, steps: [ { pause_ms: 60000 } ] }
`;

describe.skipIf(absent)('telephone calls', () => {
  let phones: Phones;
  let agent: string;
  let from: string;
  beforeAll(async () => {
    phones = await openPhones(NETWORK);
    agent = await phones.agent({ greeting: 'Good morning {{name}}, this is the office.' });
    from = (await phones.number(agent)).phone_number;
  }, 240_000);
  afterAll(() => phones?.stop());

  const dial = async (to: string, more: object = {}) => {
    const { status, body } = await phones.send('POST', '/v1/telephony/calls', {
      from,
      to,
      agent_id: agent,
      ...more,
    });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body).toMatchObject({ object: 'telephony.call', state: 'queued', direction: 'outbound' });
    return body.id as string;
  };
  const used = async (id: string) => {
    const { body } = await phones.send('GET', `/v1/telephony/calls/${id}`);
    return body;
  };

  it('talks to a person: the agent greets them by name, and the call is billed by the minute, once', async () => {
    const id = await dial('+15005550001', { variables: { name: 'Alice' } });
    expect(await phones.event('telephony.call.answered', id)).toMatchObject({ state: 'answered' });
    const ended = await phones.event('telephony.call.ended', id);
    expect(ended).toMatchObject({ state: 'ended', end_reason: 'completed', billed_minutes: 1 });
    expect(ended.duration_s).toBeGreaterThan(1);
    expect(ended.quality.received.frames).toBeGreaterThan(50);
    expect(ended.quality.sent.frames).toBeGreaterThan(20);
    expect(ended.quality.mos).toBeGreaterThan(3.5);
    const talk = await phones.send('GET', `/v1/omni/calls/${ended.omni_call_id}`);
    expect(talk.body).toMatchObject({ status: 'completed', external_id: '+15005550001', agent_id: agent });
    expect(JSON.stringify(talk.body.transcript)).toContain('Good morning Alice');
    const { cost } = await used(id);
    expect(cost.meters).toMatchObject({ telephony: 10_000, omni: expect.any(Number) });
    expect(cost.micros).toBe(cost.meters.telephony + cost.meters.omni);
    const { body: whole } = await phones.send('GET', `/v1/calls/${id}`);
    expect(whole).toMatchObject({
      ...{ id: ended.omni_call_id, object: 'call', kind: 'telephony', direction: 'outbound', state: 'ended' },
      ...{ end_reason: 'completed', owner: null, cost, detections: [], recordings: [] },
      legs: [{ id, carrier: 'loopback', to: '+15005550001', state: 'ended', end_reason: 'completed' }],
      sessions: [{ id: ended.omni_call_id, status: 'completed', agent_id: agent, agent_version: 1 }],
      created_at: ended.created_at,
      answered_at: ended.answered_at,
    });
    expect((await phones.send('GET', `/v1/calls/${ended.omni_call_id}`)).body).toEqual(whole);
    const listed = await phones.send('GET', '/v1/calls?kind=telephony&phone_number=%2B15005550001');
    expect(listed.body).toEqual({ object: 'list', data: [whole], next_cursor: null });
    const { body: usage } = await phones.send('GET', '/v1/billing/usage');
    const minutes = usage.data.filter((line: { meter: string }) => line.meter === 'telephony');
    expect(minutes.reduce((sum: number, line: { call_minutes: number }) => sum + line.call_minutes, 0)).toBe(
      1,
    );
  }, 60_000);

  // @requirement Trace: Live rules act in whole calls over Omni and telephony.
  itLong(
    'speaks no greeting that breaks a rule, and hears what the person says that breaks another',
    async () => {
      const source = { title: 'House rules', date: '2026-11-24' };
      const common = { severity: 'high', source };
      const spec = {
        pack_id: 'house',
        version: '1.0.0',
        title: 'House',
        jurisdiction: 'none',
        legal_status: 'house rules',
        rules: [
          {
            id: 'threat',
            title: 'Threats',
            kind: 'phrase',
            speaker: 'customer',
            phrases: { en: ['my lawyer'] },
            ...common,
          },
        ],
      };
      expect((await phones.send('POST', '/v1/trace/rule-packs', { spec })).status).toBe(201);
      const careful = await phones.agent({ greeting: 'Good morning. I guarantee a low price.' });
      const configured = await phones.send('PUT', '/v1/trace/config', {
        agent_id: careful,
        enabled: true,
        rule_packs: [{ id: 'brand-voice' }, { id: 'house' }],
        actions: { on_violation: 'block', safe_line: 'How can I help you?' },
        gate: { require_consent: false, quiet_hours: null, attempts: null },
      });
      expect(configured.status).toBe(200);
      const id = await dial('+15005550022', { agent_id: careful });
      const ended = await phones.event('telephony.call.ended', id);
      const { body: call } = await phones.send('GET', `/v1/omni/calls/${ended.omni_call_id}`);
      const said = JSON.stringify(call.transcript);
      expect(said).toContain('How can I help you?');
      expect(said).not.toContain('guarantee');
      expect(call.degraded).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            step: 'answer',
            reason: 'trace_blocked',
            rule: expect.stringContaining('no-guarantees'),
          }),
          expect.objectContaining({ step: 'caller', reason: 'trace_flagged', rule: 'house@1.0.0/threat' }),
        ]),
      );
    },
    60_000,
  );

  it.each([
    ['+15005550002', 'busy'],
    ['+15005550008', 'rejected'],
  ])(
    'says that %s is %s, and bills nothing',
    async (to, reason) => {
      const id = await dial(to);
      expect(await phones.event('telephony.call.ended', id)).toMatchObject({
        end_reason: reason,
        answered_by: null,
        duration_s: 0,
        billed_minutes: 0,
      });
    },
    30_000,
  );

  itLong(
    'follows who is on the line while the agent talks, and takes no message for that mode',
    async () => {
      const refused = await phones.send('POST', '/v1/telephony/calls', {
        from,
        to: '+15005550001',
        agent_id: agent,
        amd: { mode: 'follow' },
        message: 'Please call us back.',
      });
      expect([refused.status, refused.body.error.param]).toEqual([400, 'amd']);
      const id = await dial('+15005550001', { amd: { mode: 'follow' }, variables: { name: 'Alice' } });
      const ended = await phones.event('telephony.call.ended', id);
      expect(ended).toMatchObject({ end_reason: 'completed', answered_by: expect.any(String) });
      const talk = await phones.send('GET', `/v1/omni/calls/${ended.omni_call_id}`);
      expect(JSON.stringify(talk.body.transcript)).toContain('Good morning Alice');
    },
    90_000,
  );

  itLong(
    'reaches another number of this server, and each of the two has its record',
    async () => {
      const answers = await phones.agent();
      const { phone_number: to } = await phones.number(answers);
      const id = await dial(to, { max_duration_s: 10 });
      expect(await phones.event('telephony.call.ended', id)).toMatchObject({
        to,
        end_reason: 'completed',
        omni_call_id: expect.any(String),
      });
      const { body } = await phones.send('GET', '/v1/telephony/calls?direction=inbound');
      const [theirs] = body.data.filter((call: { to: string }) => call.to === to);
      const ended = await phones.event('telephony.call.ended', theirs.id);
      expect(ended).toMatchObject({ from, agent_id: answers, end_reason: 'completed' });
      expect(ended.duration_s).toBeGreaterThan(3);
      const { body: talk } = await phones.send('GET', `/v1/omni/calls/${ended.omni_call_id}`);
      const heard = talk.transcript.entries.filter((one: { role: string }) => one.role === 'user');
      expect(JSON.stringify(heard)).toContain('office');
    },
    90_000,
  );

  itLong(
    'leaves its message on a voicemail, after the beep, and says that a machine answered',
    async () => {
      const id = await dial('+15005550004', {
        amd: { mode: 'message_end' },
        message: 'This is the office. Please call us back.',
      });
      const ended = await phones.event('telephony.call.ended', id);
      expect(ended).toMatchObject({
        end_reason: 'machine',
        answered_by: 'voicemail',
        end_detail: 'a message was left',
        omni_call_id: null,
      });
      expect(ended.quality.sent.frames).toBeGreaterThan(60);
      const { status } = await phones.send('GET', `/v1/telephony/calls/${id}/recording`);
      expect(status).toBe(404);
    },
    60_000,
  );

  it('records the message that it leaves, where the agent records, until that is removed', async () => {
    const recording = await phones.agent({ recordings_enabled: true });
    const order = { amd: { mode: 'message_end' }, message: 'Please call us back.', agent_id: recording };
    const id = await dial('+15005550004', order);
    await phones.event('telephony.call.ended', id);
    const path = `/v1/telephony/calls/${id}`;
    while ((await used(id)).recording !== true) await pollDelay();
    const file = await fetch(`${phones.url}${path}/recording`, {
      headers: { authorization: phones.authorization },
    });
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    const wav = Buffer.from(await file.arrayBuffer());
    expect([wav.readUInt16LE(22), wav.readUInt32LE(24)]).toEqual([2, 8000]);
    const peak = (side: 0 | 1) => {
      let most = 0;
      for (let at = 44 + side * 2; at + 1 < wav.length; at += 4)
        most = Math.max(most, Math.abs(wav.readInt16LE(at)));
      return most;
    };
    expect(peak(0)).toBeLessThan(100);
    expect(peak(1)).toBeGreaterThan(3_000);
    expect((wav.length - 44) / 4 / 8000).toBeGreaterThan(1);
    const part = await fetch(`${phones.url}${path}/recording`, {
      headers: { authorization: phones.authorization, range: 'bytes=0-43' },
    });
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 44]);
    const removed = await phones.send('DELETE', `${path}/recording`);
    expect(removed.body).toEqual({ id, object: 'telephony.recording', deleted: true });
    expect((await phones.send('GET', `${path}/recording`)).status).toBe(404);
    expect(await used(id)).toMatchObject({ recording: false, end_detail: 'a message was left' });
  }, 60_000);

  // @requirement AMD: AMD serves its configuration, calls, evidence, an SVG and a webhook.
  // @requirement Telephony: The agent speaks soon after the answer.
  it('hangs up on a fax, counts its detection as free, and tells the webhook of the settings', async () => {
    await phones.send('POST', '/v1/amd/config', { webhook_url: phones.hook });
    const order = { from, to: '+15005550006', agent_id: agent };
    for (const aggressiveness of [1.5, 'soon', '', true]) {
      const refused = await phones.send('POST', '/v1/telephony/calls', {
        ...order,
        amd: { mode: 'detect', aggressiveness },
      });
      expect([refused.status, refused.body.error.param], `${aggressiveness}`).toEqual([
        400,
        'amd.aggressiveness',
      ]);
    }
    const id = await dial('+15005550006', { amd: { mode: 'detect', aggressiveness: '0.9' } });
    expect(await phones.event('telephony.call.ended', id)).toMatchObject({
      end_reason: 'machine',
      answered_by: 'fax',
    });
    const { body } = await phones.send('GET', `/v1/amd/calls?call_sid=${id}`);
    expect(body.data).toHaveLength(1);
    const [{ id: judged }] = body.data;
    expect(await phones.event('amd.decided', judged)).toMatchObject({ call_sid: id, answered_by: 'fax' });
    expect((await phones.send('GET', `/v1/calls/${judged}`)).body).toMatchObject({
      kind: 'telephony',
      legs: [{ id, answered_by: 'fax' }],
      sessions: [],
      detections: [{ id: judged, answered_by: 'fax' }],
      cost: { meters: { telephony: 10_000 } },
    });
  }, 60_000);

  itLong(
    'dials a second time who declined, by the rule, and calls neither a voicemail',
    async () => {
      const id = await dial('+15005550008', { redial: { times: 1, after_s: 60 } });
      await phones.event('telephony.call.ended', id);
      const { body } = await phones.send('GET', '/v1/telephony/calls?state=queued');
      expect(body.data).toHaveLength(1);
      expect(body.data[0]).toMatchObject({ to: '+15005550008', state: 'queued' });
      expect(body.data[0].schedule_at).toBeGreaterThan(Date.now() + 50_000);
      const taken = await phones.send('POST', `/v1/telephony/calls/${body.data[0].id}/hangup`);
      expect(taken.body).toMatchObject({ state: 'ended', end_reason: 'canceled', billed_minutes: 0 });
    },
    30_000,
  );

  it('hangs up when it is asked to, and refuses keys and transfers once it is over', async () => {
    const id = await dial('+15005550021');
    await phones.event('telephony.call.answered', id);
    expect((await phones.send('POST', `/v1/telephony/calls/${id}/keys`, { digits: '1w2' })).status).toBe(200);
    await phones.send('POST', `/v1/telephony/calls/${id}/hangup`);
    expect(await phones.event('telephony.call.ended', id)).toMatchObject({ end_reason: 'completed' });
    for (const [action, body] of [
      ['keys', { digits: '1' }],
      ['transfer', { to: '+15005550001', kind: 'cold' }],
    ] as const) {
      const late = await phones.send('POST', `/v1/telephony/calls/${id}/${action}`, body);
      expect([late.status, late.body.error.code]).toEqual([409, 'call_not_live']);
    }
    expect((await phones.send('POST', `/v1/telephony/calls/${id}/hangup`)).body.state).toBe('ended');
  }, 30_000);

  it('hands a call on cold, and warm to who accepts by key; nobody accepting brings the agent back', async () => {
    const cold = await dial('+15005550021');
    await phones.event('telephony.call.answered', cold);
    const refused = await phones.send('POST', `/v1/telephony/calls/${cold}/transfer`, {
      to: '+15005550002',
      kind: 'cold',
    });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'transfer_refused']);
    await phones.send('POST', `/v1/telephony/calls/${cold}/transfer`, { to: '+15005550001', kind: 'cold' });
    expect(await phones.event('telephony.call.ended', cold)).toMatchObject({
      end_reason: 'completed',
      end_detail: 'transferred to +15005550001',
    });

    const warm = await dial('+15005550021');
    await phones.event('telephony.call.answered', warm);
    const briefing = 'Alice wants to book.';
    const order = { to: '+15005550020', kind: 'warm', briefing };
    expect((await phones.send('POST', `/v1/telephony/calls/${warm}/transfer`, order)).status).toBe(200);
    expect(await phones.event('telephony.call.ended', warm)).toMatchObject({
      end_detail: 'transferred to +15005550020',
    });

    const back = await dial('+15005550021');
    await phones.event('telephony.call.answered', back);
    const before = (await used(back)).omni_call_id;
    await phones.send('POST', `/v1/telephony/calls/${back}/transfer`, { ...order, to: '+15005550002' });
    let now = before;
    while (now === before) {
      await pollDelay();
      now = (await used(back)).omni_call_id;
    }
    await phones.send('POST', `/v1/telephony/calls/${back}/hangup`);
    await phones.event('telephony.call.ended', back);
    expect(now).toMatch(/^ocl_/);
    const { body: whole } = await phones.send('GET', `/v1/calls/${back}`);
    expect(whole.legs.map(({ to }: { to: string }) => to)).toEqual(['+15005550021', '+15005550002']);
    expect(whole.sessions.map(({ id }: { id: string }) => id)).toEqual([before, now]);
    expect([whole.id, whole.state]).toEqual([before, 'ended']);
  }, 90_000);

  it('answers who calls in, and the greeting is soon heard', async () => {
    const caller = { steps: [{ listen: { silence_ms: 1500, most_ms: 15000 } }, { hang_up: true }] };
    const called = await phones.send('POST', '/v1/telephony/trial-calls', { to: from, caller });
    expect(called.status).toBe(202);
    let id = '';
    while (id === '') {
      const { body } = await phones.send('GET', '/v1/telephony/calls?direction=inbound');
      id = body.data[0]?.id ?? '';
    }
    const ended = await phones.event('telephony.call.ended', id);
    expect(ended).toMatchObject({ direction: 'inbound', to: from, end_reason: 'completed' });
    expect(ended.quality.sent.frames).toBeGreaterThan(20);
  }, 60_000);

  it('calls once for one Idempotency-Key', async () => {
    const body = { from, to: '+15005550002', agent_id: agent };
    const key = { 'idempotency-key': 'one-call' };
    const [one, two] = await Promise.all([
      phones.send('POST', '/v1/telephony/calls', body, key),
      phones.send('POST', '/v1/telephony/calls', body, key),
    ]);
    expect(two.body.id).toBe(one.body.id);
    const other = await phones.send('POST', '/v1/telephony/calls', { ...body, to: '+15005550008' }, key);
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict']);
    await phones.event('telephony.call.ended', one.body.id);
  }, 30_000);

  it.each([
    [{ from: '+14155550199' }, 400, 'invalid_request', 'from'],
    [{ to: '12' }, 400, 'invalid_request', 'to'],
    [{ to: '+79161234567' }, 403, 'destination_not_allowed', 'to'],
    [{ agent_id: 'agt_00000000000000000000' }, 400, 'invalid_request', 'agent_id'],
    [{ webhook_url: 'http://169.254.169.254/' }, 400, 'invalid_request', 'webhook_url'],
    [{ schedule_at: 9e15 }, 400, 'invalid_request', 'schedule_at'],
    [{ colour: 'red' }, 400, 'invalid_request', 'colour'],
  ])('refuses %j', async (more, status, code, param) => {
    const answer = await phones.send('POST', '/v1/telephony/calls', {
      from,
      to: '+15005550002',
      agent_id: agent,
      ...more,
    });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.body.error.param).toContain(param);
  });

  it('does not dial who asked not to be called', async () => {
    await phones.send('POST', '/v1/trace/suppressions', { phone_number: '+15005550006', reason: 'asked' });
    const id = await dial('+15005550006');
    expect(await phones.event('telephony.call.ended', id)).toMatchObject({
      end_reason: 'failed',
      end_detail: 'suppressed',
      answered_at: null,
    });
  }, 30_000);
});
