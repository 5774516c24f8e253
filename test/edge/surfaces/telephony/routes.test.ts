// @requirement Telephony: A number routes to an agent, a URL, a forward or voicemail, with fallbacks.
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollDelay } from '../../../poll.ts';
import { absent, openPhones, type Phones } from './server.ts';

const NETWORK = `
numbers:
  '+15005550001': { ring_ms: 100, steps: [ { pause_ms: 500 }, { hang_up: true } ] }
`;
const CALLER = { steps: [{ listen: { silence_ms: 1200, most_ms: 90000 } }, { hang_up: true }] };

describe.skipIf(absent)('the route of a number', () => {
  let phones: Phones;
  let agent: string;
  let other: string;
  let url: Server;
  let where: string;
  const asked: Record<string, string>[] = [];
  let answer: { status: number; body: string } = { status: 200, body: '{}' };
  beforeAll(async () => {
    phones = await openPhones(NETWORK);
    agent = await phones.agent({ greeting: 'Good morning, this is the office.' });
    other = await phones.agent({ greeting: 'Hello {{name}}, this is the night desk.' });
    url = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        asked.push(JSON.parse(body));
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => url.listen(0, '127.0.0.1', resolve));
    where = `http://127.0.0.1:${(url.address() as { port: number }).port}/route`;
  }, 240_000);
  afterAll(async () => {
    await phones?.stop();
    await new Promise((resolve) => url?.close(resolve));
  });

  const number = async (settings: object, agentId: string | undefined = agent) => {
    const made = await phones.number(agentId);
    const changed = await phones.send('PATCH', `/v1/telephony/numbers/${made.id}`, { settings });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    return made.phone_number as string;
  };
  it('is no agent without a published version: that is said when it is named', async () => {
    const { body: draft } = await phones.send('POST', '/v1/agents?draft=true', { name: 'Draft' });
    const made = await phones.number(agent);
    const taken = await phones.send('PATCH', `/v1/telephony/numbers/${made.id}`, { agent_id: draft.id });
    expect(taken).toMatchObject({ status: 400, body: { error: { param: 'agent_id' } } });
    const call = { from: made.phone_number, to: '+15005550001', agent_id: draft.id };
    const placed = await phones.send('POST', '/v1/telephony/calls', call);
    expect(placed).toMatchObject({ status: 400, body: { error: { param: 'agent_id' } } });
    await phones.send('POST', `/v1/agents/${draft.id}/publish`, { version: 1 });
    const again = await phones.send('PATCH', `/v1/telephony/numbers/${made.id}`, { agent_id: draft.id });
    expect(again.status).toBe(200);
  });

  const called = async (to: string) => {
    await phones.send('POST', '/v1/telephony/trial-calls', { to, caller: CALLER });
    for (;;) {
      const { body } = await phones.send('GET', '/v1/telephony/calls?direction=inbound&state=ended&limit=50');
      const one = body.data.find((call: { to: string }) => call.to === to);
      if (one !== undefined) return one;
      await pollDelay();
    }
  };

  it('is called by a caller that is played or by sound that is brought, not by both', async () => {
    const { phone_number: to } = await phones.number(agent);
    const both = { to, caller: CALLER, brings_sound: true };
    expect(await phones.send('POST', '/v1/telephony/trial-calls', both)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', param: 'caller' } },
    });
  });

  it('is in the audit log with whose key took it and changed it', async () => {
    const made = await phones.number(agent);
    await phones.send('DELETE', `/v1/telephony/numbers/${made.id}`);
    const { body } = await phones.send('GET', '/v1/audit?limit=10');
    const entries = body.data.filter((entry: { target: string }) => entry.target === made.id);
    expect(
      entries.map(({ action, actor }: { action: string; actor: { kind: string } }) => [action, actor.kind]),
    ).toEqual(['released', 'changed', 'provisioned'].map((what) => [`number.${what}`, 'key']));
  });

  it('forwards callers to another number without an agent', async () => {
    const to = await number({ route: { kind: 'forward', to: '+15005550001' } });
    expect(await called(to)).toMatchObject({
      end_reason: 'completed',
      end_detail: 'transferred to +15005550001',
      omni_call_id: null,
    });
  }, 150_000);

  it('asks the URL, and does what it says', async () => {
    const to = await number({ route: { kind: 'url', url: where } });
    answer = {
      status: 200,
      body: JSON.stringify({ action: 'agent', agent_id: other, variables: { name: 'Alice' } }),
    };
    const call = await called(to);
    expect(call).toMatchObject({ agent_id: other, variables: { name: 'Alice' }, end_reason: 'completed' });
    expect(asked.at(-1)).toMatchObject({ event: 'telephony.call.incoming', call_id: call.id, to });
    const talk = await phones.send('GET', `/v1/omni/calls/${call.omni_call_id}`);
    expect(JSON.stringify(talk.body.transcript)).toContain('Hello Alice');

    const spoken = await number({ route: { kind: 'url', url: where } });
    answer = { status: 200, body: JSON.stringify({ action: 'message', text: 'We are closed today.' }) };
    const reported = await called(spoken);
    expect(reported).toMatchObject({ end_reason: 'completed', omni_call_id: null });
    expect(reported.quality.sent.frames).toBeGreaterThan(20);
  }, 300_000);

  it.each([
    ['that fails', { status: 500, body: '{}' }],
    ['that answers with other words', { status: 200, body: '{"action": "dance"}' }],
    [
      'that names an agent of nobody',
      { status: 200, body: '{"action":"agent","agent_id":"agt_00000000000000000000"}' },
    ],
    [
      'that names a country that is not called',
      { status: 200, body: '{"action":"forward","to":"+79161234567"}' },
    ],
  ])(
    'lets the number’s own agent answer for a URL %s',
    async (_what, said) => {
      const to = await number({ route: { kind: 'url', url: where } });
      answer = said;
      expect(await called(to)).toMatchObject({ agent_id: agent, omni_call_id: expect.any(String) });
    },
    150_000,
  );

  it.each([
    [{ route: { kind: 'url' } }, 400, 'settings.route.url'],
    [{ route: { kind: 'url', url: 'http://169.254.169.254/' } }, 400, 'settings.route.url'],
    [{ route: { kind: 'forward' } }, 400, 'settings.route.to'],
    [{ route: { kind: 'forward', to: 'sip:bob@example.com' } }, 400, 'settings.route.to'],
    [{ route: { kind: 'forward', to: '+79161234567' } }, 403, 'settings.route.to'],
    [{ fallback: { kind: 'transfer', to: '+79161234567' } }, 403, 'settings.fallback.to'],
    [{ fallback: { kind: 'transfer' } }, 400, 'settings.fallback.to'],
    [{ fallback: { kind: 'message' } }, 400, 'settings.fallback.text'],
    [{ quiet_hours: { from: '21:00', to: '21:00', time_zone: 'UTC' } }, 400, 'settings.quiet_hours.to'],
  ])('refuses %j', async (settings, status, param) => {
    const { id } = await phones.number(agent);
    const refused = await phones.send('PATCH', `/v1/telephony/numbers/${id}`, { settings });
    expect([refused.status, refused.body.error.param]).toEqual([status, param]);
  });
});
